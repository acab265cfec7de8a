-- Certificates by host name, from the file that `run` keeps, which certificate-store.mjs describes. Each worker has a view of
-- its own; what a certificate takes of memory it takes when a visitor asks for it.
local decode = require('cjson').decode
local ssl = require 'ngx.ssl'
local recent = require 'recent'
local find, lower, sub = string.find, string.lower, string.sub

local look_seconds = 1

-- Of the texts that are kept parsed.
local maximum_bytes = 8 * 1024 * 1024

local file, version, start, places, parsed

-- The file that is open stays whole when another one takes its name.
local function load(path)
  local opened = assert(io.open(path))
  local opened_version = opened:read '*l'
  if opened_version == version then return opened:close() end
  places = decode(opened:read '*l').names
  start, parsed = opened:seek(), recent(maximum_bytes)
  if file then file:close() end
  file, version = opened, opened_version
end

local function look(is_ending, path)
  if not is_ending then load(path) end
end

-- An exact name goes before a wildcard, which stands for one label.
local function place_of(name)
  local dot = find(name, '.', 1, true)
  return places[name] or dot and dot > 1 and places['*' .. sub(name, dot)] or nil
end

local function pair_at(place)
  local known = parsed:get(place[1])
  if known then return known end
  file:seek('set', start + place[1])
  local pem = file:read(place[2])
  local pair = { chain = assert(ssl.parse_pem_cert(pem)), key = assert(ssl.parse_pem_priv_key(pem)) }
  parsed:set(place[1], pair, #pem)
  return pair
end

local certificates = {}

-- A node without TLS has no such file.
function certificates.watch(path)
  local opened = io.open(path)
  if not opened then return end
  opened:close()
  load(path)
  assert(ngx.timer.every(look_seconds, look, path))
end

-- @param name in lower case
function certificates.cover(name)
  return place_of(name) ~= nil
end

-- In a handshake.
function certificates.present()
  local name = ssl.server_name()
  local place = name and place_of(lower(name))
  if not place then return end
  local pair = pair_at(place)
  assert(ssl.set_cert(pair.chain))
  assert(ssl.set_priv_key(pair.key))
end

return certificates
