-- What an edge does with a request: mirrors shared/rule/outcome.ts, but for what `ignoredByDefault` makes of the query,
-- which is left to object-identity.lua: so one outcome holds for all requests that the same rules match.
local lower = string.lower

-- Of one that changes no header, with what visit.lua prepares; of each change beside its texts; of each parameter's name.
local least_bytes, change_bytes, name_bytes = 2000, 600, 80

local made = 0

-- The last action on each aspect, by type: a later rule overrides an earlier one.
local function last_ones(actions)
  local last, decided, seen = {}, {}, {}
  for _, action in ipairs(actions) do
    for _, aspect in ipairs(action.aspects) do last[aspect] = action end
  end
  for _, action in pairs(last) do
    if not seen[action] then
      seen[action] = true
      decided[action.type] = decided[action.type] or {}
      table.insert(decided[action.type], action)
    end
  end
  return decided
end

-- By name in lower case; false removes.
local function changes(set, removed)
  local changed = {}
  for _, action in ipairs(set or {}) do changed[lower(action.name)] = action.value end
  for _, action in ipairs(removed or {}) do changed[lower(action.name)] = false end
  return changed
end

local function first(actions)
  return actions and actions[1]
end

local function none_as_nil(value)
  if value == ngx.null then return nil end
  return value
end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  return set
end

-- True for the whole query, a set for these parameters, false for none.
local function ignored_query(action, query_string)
  if action then return not action.names or set_of(action.names) end
  if query_string.mode == 'ignore' then return true end
  return query_string.mode == 'deny' and #query_string.names > 0 and set_of(query_string.names) or false
end

local function bytes_of_changes(changed)
  local bytes = 0
  for name, value in pairs(changed) do bytes = bytes + change_bytes + 3 * #name + #(value or '') end
  return bytes
end

local function bytes_of_names(set)
  local bytes = 0
  for name in pairs(type(set) == 'table' and set or {}) do bytes = bytes + name_bytes + #name end
  return bytes
end

-- About what an outcome takes of a worker's memory.
local function bytes_of(outcome)
  return least_bytes
    + bytes_of_changes(outcome.request_headers)
    + bytes_of_changes(outcome.response_headers)
    + bytes_of_names(outcome.ignore_query_string)
    + bytes_of_names(outcome.allowed_names)
end

-- @param actions of all matching rules, in their order; what none decides the property's cache settings do
return function(actions, cache)
  local decided = last_ones(actions)
  local redirect = first(decided.redirect)
  local ignore = first(decided.ignoreQueryString)
  local bypass, block = decided.bypassCache ~= nil, decided.block ~= nil
  local is_cached = not bypass and not block and not redirect
  local cache_ttl = is_cached and first(decided.cacheTtl) or nil
  local browser_ttl = first(decided.browserTtl)
  local rewrite = first(decided.rewritePath)
  local outcome = {
    cache_ttl_seconds = is_cached and (cache_ttl or { seconds = cache.ttlSeconds }).seconds or nil,
    cache_ttl_overrides_origin = cache_ttl ~= nil,
    bypass = bypass,
    block = block,
    redirect = redirect,
    force_https = decided.forceHttps ~= nil,
    ignore_query_string = ignored_query(ignore, cache.queryString),
    -- What is left out is every parameter that the settings do not name.
    allowed_names = not ignore and cache.queryString.mode == 'allow' and set_of(cache.queryString.names) or nil,
    -- In the mode `allow` a query may hold nothing to leave out, and still shares its response with others.
    is_reduced = cache.queryString.mode == 'allow',
    path = rewrite and rewrite.path,
    request_headers = changes(decided.setRequestHeader, decided.removeRequestHeader),
    response_headers = changes(decided.setResponseHeader, decided.removeResponseHeader),
  }
  if browser_ttl then
    outcome.browser_ttl_seconds = browser_ttl.seconds
  else
    outcome.browser_ttl_seconds = none_as_nil(cache.browserTtlSeconds)
  end
  made = made + 1
  outcome.number, outcome.bytes = made, bytes_of(outcome)
  return outcome
end
