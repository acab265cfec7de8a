-- What the edge serves, by host name: mirrors infra/edge/embedded/sites.ts.
local split = require('text').split
local recent = require 'recent'
local site = require 'site'

local config = ngx.shared.config

-- Of a worker's memory.
local maximum_document_bytes = 64 * 1024 * 1024
local maximum_hostnames = 20000

local wait_seconds = 2
local poll_seconds = 0.02

local documents = recent(maximum_document_bytes)
local numbers = recent(maximum_hostnames)
local fixed

local function numbered(number)
  local document = documents:get(number)
  if document then return document end
  local text = config:get('d/' .. number)
  if not text then return nil end
  document = site.read(text, number)
  documents:set(number, document, document.bytes)
  return document
end

-- A document that is replaced between two looks is looked for again.
-- @param kind s/ for the document of now, o/ for the one before, as config-store.lua says
local function document_of(kind, id)
  for _ = 1, 5 do
    local number = config:get(kind .. id)
    if not number then return nil end
    local document = numbered(number)
    if document then return document end
  end
end

-- A host name that changes hands is in two documents for a moment: then the later claim holds.
local function claimant(kind, ids, hostname)
  local found
  for _, id in ipairs(ids) do
    local document = document_of(kind, id)
    local claim = document and document.claims[hostname]
    if claim and (not found or claim >= found.claims[hostname]) then found = document end
  end
  return found
end

local function look_up(hostname, generation)
  local text = config:get('h/' .. hostname)
  local ids = text and split(text, '\n') or {}
  local found = claimant('s/', ids, hostname) or claimant('o/', ids, hostname)
  if found then numbers:set(hostname, { generation = generation, number = found.number }, 1) end
  return found
end

local function wait()
  for _ = 1, wait_seconds / poll_seconds do
    ngx.sleep(poll_seconds)
    local generation = config:get 'generation'
    if generation then return generation end
  end
end

local sites = {}

-- @param path of the document of the one site that is served under every name
function sites.fix(path)
  local file = io.open(path)
  if not file then return end
  fixed = site.read(file:read '*a', 0)
  file:close()
end

function sites.is_fixed()
  return fixed ~= nil
end

-- @return nil for none; then whether nothing is known yet
function sites.find(hostname)
  if fixed then return fixed end
  local generation = config:get 'generation' or wait()
  if not generation then return nil, true end
  local known = numbers:get(hostname)
  if known and known.generation == generation and generation % 2 == 0 then
    local document = numbered(known.number)
    if document then return document end
  end
  local document = look_up(hostname, generation)
  -- It may have changed hands while it was looked for.
  if not document and config:get 'generation' ~= generation then return sites.find(hostname) end
  return document
end

-- @return as `find`, by a property's id
function sites.of_property(id)
  if not (config:get 'generation' or wait()) then return nil, true end
  return document_of('s/', id)
end

return sites
