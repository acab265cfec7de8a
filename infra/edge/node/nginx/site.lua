-- A property's document, made ready for requests: what holds for all of them is looked up once.
-- shared/edge-config/document.ts describes it.
local format, lower, match = string.format, string.lower, string.match
local cjson = require 'cjson'
local aspects_of = require 'conflicts'
local conditions = require 'conditions'
local is_reserved = require 'reserved-header'
local gsub = ngx.re.gsub

-- Half a character, which JSON may hold and cjson refuses: as bytes that no request has, so that nothing matches it.
local half = [[\\u([dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})]]

local function bytes_of_half(found)
  local code = tonumber(found[1] or found[2], 16)
  return string.char(0xed, 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

-- @param url as `new URL` writes it
local function origin_of(url)
  local scheme, authority, path = match(url, '^(%a+)://([^/?#]+)([^?#]*)')
  assert(scheme, 'its origin has a URL in another form than new URL writes')
  local host, port = match(authority, '^%[(.*)%]:?(%d*)$')
  if not host then
    host, port = match(authority, '^(.-):?(%d*)$')
  end
  scheme = lower(scheme)
  if port == '' then port = scheme == 'https' and '443' or '80' end
  return { scheme = scheme, host = lower(host), port = port, path = (path:gsub('/$', '')) }
end

-- What a document takes of memory for each byte of its JSON, at most.
local json_bytes = 8

local site = {}

function site.decode_json(text)
  if text:find('\\u[dD]') then text = gsub(text, half, bytes_of_half, 'jo') end
  return cjson.decode(text)
end

local function prepare_actions(actions)
  local kept = {}
  for _, action in ipairs(actions) do
    action.aspects = aspects_of(action)
    if not (action.name and is_reserved(action.name)) then kept[#kept + 1] = action end
  end
  return kept
end

-- Conditions that depend on the visitor stand apart. @return what it takes of memory beside what stands in the text
local function prepare_rule(rule)
  local bytes = 0
  rule.closed, rule.open = {}, nil
  for _, condition in ipairs(rule.conditions) do
    bytes = bytes + conditions.prepare(condition)
    local is_open = conditions.is_open(condition)
    if is_open then rule.open = rule.open or {} end
    table.insert(is_open and rule.open or rule.closed, condition)
  end
  rule.actions = prepare_actions(rule.actions)
  return bytes
end

-- @param document as its JSON has it; throws where it is not understood
function site.prepare(document)
  document.claims, document.bytes = {}, 0
  for _, claim in ipairs(document.hostnames) do document.claims[claim.hostname] = claim.claimedAt end
  for _, rule in ipairs(document.rules) do document.bytes = document.bytes + prepare_rule(rule) end
  local host_header = document.origin.hostHeader
  document.origin = origin_of(document.origin.url)
  document.origin.host_header = host_header
  document.swr = format('%.0f', document.cache.staleWhileRevalidateSeconds)
  document.sie = format('%.0f', document.cache.staleIfErrorSeconds)
  document.is_paused = document.status == 'paused'
  return document
end

-- @param text JSON
-- @param number what tells it from all others
function site.read(text, number)
  local document = site.prepare(site.decode_json(text))
  document.number = number
  document.bytes = document.bytes + json_bytes * #text
  return document
end

return site
