-- What a request to a site asks for, whoever asks: kept by method and URL, since a response that the cache holds was
-- asked for before. It names rules and outcomes by number, so that it keeps no document in memory.
local find = string.find
local concat = table.concat
local evaluated_request = require 'evaluated-request'
local object_identity = require 'object-identity'
local outline = require('evaluate').outline
local read_target = require 'request-target'
local recent = require 'recent'

local maximum_bytes = 20 * 1024 * 1024

-- Of the tables and what is added by `identify`; then of each rule in the outline.
local least_bytes = 2000
local step_bytes = 16

-- Varnish makes a key for each directory, and no more of them.
local maximum_slashes = 24

local kept = recent(maximum_bytes)

local function bytes_of(key, found)
  local path, search = #found.spelled_path + #found.canonical_path, #found.spelled_search + #found.canonical_search
  return least_bytes + step_bytes * #found.steps + #key + #found.path + 2 * (path + search)
end

local function has_many_directories(path)
  local slashes, place = 0, find(path, '/', 1, true)
  while place and slashes <= maximum_slashes do
    slashes, place = slashes + 1, find(path, '/', place + 1, true)
  end
  return slashes > maximum_slashes
end

local asked = {}

-- @param target as the client wrote it
-- @return nil for what is refused
function asked.find(document, scheme, host, method, target)
  local key = scheme .. method .. host .. target
  local found = kept:get(key)
  if found and found.number == document.number then return found end
  local path, spelled_path, spelled_search, canonical_path, canonical_search = read_target(target)
  if not path then return nil end
  local request = evaluated_request(scheme, host, method, path, canonical_search)
  found = {
    number = document.number,
    path = path,
    spelled_path = spelled_path,
    spelled_search = spelled_search,
    canonical_path = canonical_path,
    canonical_search = canonical_search,
    is_deep = has_many_directories(canonical_path),
    steps = outline(document, request),
  }
  kept:set(key, found, bytes_of(key, found))
  return found
end

-- Where what a site serves comes from.
-- @param host as the origin is sent it
function asked.origin_of(document, host)
  local origin, account = document.origin, document.accountId or '-'
  return concat({ origin.scheme, origin.port, account, origin.host, origin.path .. '/', origin.host_header or host }, ' ')
end

-- What Varnish needs where it asks the origin, as told.vcl takes it apart.
function asked.fetch_of(document, outcome, host)
  local overrides = outcome.cache_ttl_overrides_origin and '1' or '-'
  local origin = asked.origin_of(document, host)
  return concat({ outcome.ttl or '-', overrides, document.swr, document.sie, origin }, ' ')
end

-- Adds what an outcome makes of it: what the origin is asked, the cache's key, and what a fetch needs.
function asked.identify(found, document, outcome, request)
  if found.outcome_number == outcome.number then return end
  found.outcome_number = outcome.number
  found.key = object_identity.key(document, outcome, request, found.canonical_path, found.canonical_search)
  found.fetch = asked.fetch_of(document, outcome, request.host)
  found.url = document.origin.path .. (outcome.path or found.spelled_path) .. found.spelled_search
end

return asked
