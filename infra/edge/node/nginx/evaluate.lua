-- What the rules make of a request: mirrors shared/rule/evaluate.ts, in two steps, because most requests are for a URL
-- that was asked before: `outline` is what rules make of method, host and URL, and `evaluate` looks at the rest.
-- What a set of rules comes to depends on nothing else, so it is kept, in a tree for each document, whose branches are
-- the numbers of rules that match.
local holds = require('conditions').holds
local outcome_of = require 'outcome'
local recent = require 'recent'

-- Of all documents together, and of one, so that its visitors do no harm to others.
local maximum_bytes = 16 * 1024 * 1024
local maximum_of_one = 1024 * 1024
local node_bytes = 300

local trees = recent(maximum_bytes)

-- @return whether a rule matches; nil where that depends on the visitor
local function judge(rule, request)
  local is_all = rule.match == 'all'
  for _, condition in ipairs(rule.closed) do
    if holds(condition, request) ~= is_all then return not is_all end
  end
  if rule.open then return nil end
  return is_all
end

local function matches(rule, request)
  local is_all, open = rule.match == 'all', rule.open
  for index = 1, #open do
    if holds(open[index], request) ~= is_all then return not is_all end
  end
  return is_all
end

local function tree_of(number)
  local tree = trees:get(number)
  if tree then return tree end
  tree = { bytes = node_bytes, root = {} }
  trees:set(number, tree, tree.bytes)
  return tree
end

-- @return whether it may be kept
local function grow(tree, number, bytes)
  if tree.bytes + bytes > maximum_of_one then return false end
  tree.bytes = tree.bytes + bytes
  trees:set(number, tree, tree.bytes)
  return true
end

local function next_node(document, tree, node, number)
  local found = { number = number, before = node }
  if grow(tree, document.number, node_bytes) then node[number] = found end
  return found
end

-- Of the rules that lead to a place in a tree.
local function actions_at(document, node)
  local numbers, actions = {}, {}
  while node.number do
    numbers[#numbers + 1] = node.number
    node = node.before
  end
  for index = #numbers, 1, -1 do
    for _, action in ipairs(document.rules[numbers[index]].actions) do actions[#actions + 1] = action end
  end
  return actions
end

local evaluate = {}

-- @return the numbers of the rules that match, in their order; negative for those that may match
function evaluate.outline(document, request)
  local steps = {}
  for number, rule in ipairs(document.rules) do
    local is_match = judge(rule, request)
    if is_match ~= false then steps[#steps + 1] = is_match and number or -number end
    if is_match and rule.isFinal then break end
  end
  return steps
end

-- @param prepare what to make of a new outcome
function evaluate.evaluate(document, steps, request, prepare)
  local rules, tree = document.rules, tree_of(document.number)
  local node = tree.root
  for index = 1, #steps do
    local step = steps[index]
    local number = step < 0 and -step or step
    local rule = rules[number]
    if step > 0 or matches(rule, request) then
      node = node[number] or next_node(document, tree, node, number)
      if rule.isFinal then break end
    end
  end
  local outcome = node.outcome
  if not outcome then
    outcome = prepare(outcome_of(actions_at(document, node), document.cache))
    if grow(tree, document.number, outcome.bytes) then node.outcome = outcome end
  end
  return outcome
end

return evaluate
