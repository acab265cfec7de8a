-- Whether compiled conditions hold for a request: mirrors shared/rule/conditions.ts.
local text_search = require 'text-search'

local comparisons = {
  equals = function(_, text, value) return text == value end,
  prefix = function(_, text, value) return text_search.begins(text, value) end,
  suffix = function(_, text, value) return text_search.ends(text, value) end,
  contains = text_search.contains,
  wildcard = text_search.wildcard,
}

-- Either one text, or all of one name.
local readers = {
  path = function(request) return request.path end,
  host = function(request) return request.host end,
  scheme = function(request) return request.scheme end,
  method = function(request) return request.method end,
  extension = function(request) return request:extension() end,
  query = function(request, name) return nil, request:query()[name] end,
  header = function(request, name) return nil, request:header(name) end,
  cookie = function(request, name) return nil, request:cookies()[name] end,
}

local function matches_any(request, text, matches, values)
  -- Most have one, and a loop of one costs more than what it does.
  if matches(request, text, values[1]) then return true end
  for index = 2, #values do
    if matches(request, text, values[index]) then return true end
  end
  return false
end

local function found(condition, request)
  local text, texts = condition.read(request, condition.name)
  local matches = condition.matches
  if not matches then return texts ~= nil and #texts > 0 end
  if text then return matches_any(request, text, matches, condition.values) end
  for index = 1, texts and #texts or 0 do
    if matches_any(request, texts[index], matches, condition.values) then return true end
  end
  return false
end

-- Depend on the visitor, and not on method, host and URL alone.
local of_visitors = { header = true, cookie = true }

local conditions = {}

function conditions.is_open(condition)
  return of_visitors[condition.field] == true
end

-- Looks up once what every request would.
-- @return what that takes of memory
function conditions.prepare(condition)
  local operator, values, bytes = condition.operator, condition.values, 0
  condition.read = assert(readers[condition.field], 'a condition is on no known field')
  condition.matches = comparisons[operator]
  condition.negate = condition.negate == true
  if operator == 'exists' then return bytes end
  assert(condition.matches, 'a condition has no known operator')
  assert(values and #values > 0, 'a condition has no values')
  if operator == 'wildcard' then
    for index, value in ipairs(values) do
      bytes = bytes + text_search.bytes_of(value)
      values[index] = text_search.compile(value)
    end
  end
  return bytes
end

function conditions.holds(condition, request)
  return found(condition, request) ~= condition.negate
end

return conditions
