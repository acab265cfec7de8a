-- Where documents live, in memory that all workers share: `h/HOST` the ids of properties that may serve a host name,
-- `s/ID` the number of a property's document, `d/NUMBER` its text, which never changes. So one write, of `s/ID`, is what
-- brings a property from one version to the next; a document says itself which hosts it serves. While changes are made,
-- `o/ID` is the number of the document before, which serves what none serves yet, so that a host that changes hands
-- is never without a site.
-- Nothing is ever evicted. `generation` is odd while something changes.
local cjson = require 'cjson'
local prepare = require('site').prepare
local split = require('text').split

local config, lock = ngx.shared.config, ngx.shared.config_lock

-- Renewed at each change: a worker that dies with the lock holds up nobody for longer.
local lock_seconds = 1

-- After so many changes visitors are served in between.
local at_once = 10

local full = 'the memory for the configuration is full: raise --config-memory'

local store = {}

-- What is set in place of a longer or shorter value goes first; without room the old one is put back.
local function set(key, value)
  local old = config:get(key)
  if old == value then return true end
  if config:safe_set(key, value) then return true end
  if old then config:safe_set(key, old) end
  return false
end

local function add_candidate(hostname, id)
  local key = 'h/' .. hostname
  local ids = config:get(key)
  if not ids then return set(key, id) end
  for _, known in ipairs(split(ids, '\n')) do
    if known == id then return true end
  end
  return set(key, ids .. '\n' .. id)
end

local function remove_candidate(hostname, id)
  local key = 'h/' .. hostname
  local left = {}
  for _, known in ipairs(split(config:get(key) or id, '\n')) do
    if known ~= id then left[#left + 1] = known end
  end
  if #left == 0 then config:delete(key) else set(key, table.concat(left, '\n')) end
end

local function text_of(number)
  return number and config:get('d/' .. number)
end

local function hostnames_of(text)
  local hostnames = {}
  for _, claim in ipairs(text and cjson.decode(text).hostnames or {}) do hostnames[claim.hostname] = true end
  return hostnames
end

-- The property serves no more the hosts that are in one text and not in the other.
local function remove_candidates(id, text, other)
  local left = hostnames_of(other)
  for hostname in pairs(hostnames_of(text)) do
    if not left[hostname] then remove_candidate(hostname, id) end
  end
end

-- Takes away the document before.
local function tidy(id)
  local before = config:get('o/' .. id)
  if not before then return end
  remove_candidates(id, text_of(before), text_of(config:get('s/' .. id)))
  config:delete('d/' .. before)
  config:delete('o/' .. id)
end

local function set_document(id, document, text, before)
  for _, claim in ipairs(document.hostnames) do
    if not add_candidate(claim.hostname, id) then return false end
  end
  local number = config:incr('documents', 1, 0)
  if not number or not config:safe_set('d/' .. number, text) then return false end
  if (not before or set('o/' .. id, before)) and set('s/' .. id, number) then return true end
  config:delete('d/' .. number)
  config:delete('o/' .. id)
  return false
end

-- @return what is wrong, or nil
local function publish(id, document, text)
  local before = config:get('s/' .. id)
  if text_of(before) == text then return nil end
  -- Of a change that came to no end.
  tidy(id)
  if set_document(id, document, text, before) then return nil end
  remove_candidates(id, text, text_of(before))
  return id .. ': ' .. full
end

local function remove(id)
  tidy(id)
  local number = config:get('s/' .. id)
  local text = text_of(number)
  config:delete('s/' .. id)
  if number then config:delete('d/' .. number) end
  remove_candidates(id, text, nil)
end

local function begin()
  while not lock:add('held', true, lock_seconds) do ngx.sleep(0.005) end
  local generation = config:get 'generation'
  if generation then config:set('generation', generation + 1 + generation % 2) end
end

-- @return what is wrong, or nil
local function finish(is_ready)
  local generation = config:get 'generation'
  local fault
  if generation then
    config:set('generation', generation + 1)
  elseif is_ready and not config:safe_set('generation', 2) then
    fault = full
  end
  lock:delete 'held'
  return fault
end

local function let_others(number)
  if number % at_once == 0 then ngx.sleep(0) end
end

-- Adds to each document its text. @return what is wrong, or nil
local function read(changes)
  for number, change in ipairs(changes) do
    let_others(number)
    if change.document ~= cjson.null then
      change.text = cjson.encode(change.document)
      local is_read, fault = pcall(prepare, change.document)
      if not is_read then return ('%s: the document cannot be read: %s'):format(change.propertyId, fault) end
    end
  end
end

local function publish_all(changes)
  for number, change in ipairs(changes) do
    lock:set('held', true, lock_seconds)
    let_others(number)
    local fault = change.text and publish(change.propertyId, change.document, change.text)
    if fault then return fault end
  end
end

local function remove_dead(changes)
  for number, change in ipairs(changes) do
    lock:set('held', true, lock_seconds)
    let_others(number)
    if change.text then tidy(change.propertyId) else remove(change.propertyId) end
  end
end

-- @return nil; or what is wrong, and its status: with 422 nothing has changed
function store.write(changes, is_ready)
  local unread = read(changes)
  if unread then return unread, 422 end
  begin()
  local is_done, fault = pcall(function()
    local no_room = publish_all(changes)
    remove_dead(changes)
    return no_room
  end)
  local no_end = finish(is_ready and is_done and not fault)
  if not is_done then error(fault, 0) end
  return fault or no_end, 507
end

return store
