-- Under what a response is stored: mirrors infra/edge/embedded/object-identity.ts, and `ignoredByDefault` of
-- shared/rule/outcome.ts.
local sub = string.sub
local concat, sort = table.concat, table.sort
local encode = require('cjson').encode
local split = require('text').split
local parameter_of = require('query-parameters').parameter

-- Longer ones are told apart by what they hash to; only their own property's customer could make two meet.
local longest_variant = 512

-- @return a set; false for an empty one
local function names_but(request, kept)
  local others = false
  for _, name in ipairs(request:names()) do
    if not kept[name] then
      others = others or {}
      others[name] = true
    end
  end
  return others
end

local function without(search, ignored)
  local parameters = split(sub(search, 2), '&')
  local kept = {}
  for index = 1, #parameters do
    local parameter = parameters[index]
    if not ignored[parameter_of(parameter)] then kept[#kept + 1] = parameter end
  end
  if #kept == #parameters then return search end
  return #kept > 0 and '?' .. concat(kept, '&') or ''
end

-- @return what the key holds of the canonical search, and whether requests with other queries share the object
local function reduced_search(outcome, request, search)
  local ignored = outcome.ignore_query_string
  if outcome.allowed_names then ignored = names_but(request, outcome.allowed_names) end
  local is_reduced = ignored ~= false or outcome.is_reduced
  if ignored == false or search == '' then return search, is_reduced end
  return ignored == true and '' or without(search, ignored), is_reduced
end

local object_identity = {}

-- What an origin says over https, which X-Forwarded-Proto tells it, may be another thing than over http.
-- @param path, search of the canonical target
-- @return the key of the cache, as told.vcl takes it apart
function object_identity.key(document, outcome, request, path, search)
  local kept_search, is_reduced = reduced_search(outcome, request, search)
  local variant = (request.scheme == 'https' and ' https' or '') .. (outcome.variant and ' ' .. outcome.variant or '')
  return concat { document.propertyId, ' ', request.host, is_reduced and ' 1 ' or ' - ', path, kept_search, variant }
end

-- What else the rules make of a request that an origin may listen to; nil for nothing.
function object_identity.variant(outcome)
  local headers = {}
  for name, value in pairs(outcome.request_headers) do headers[#headers + 1] = encode { name, value } end
  if #headers == 0 and not outcome.path then return nil end
  sort(headers)
  local text = concat({ outcome.path or '-', unpack(headers) }, ' ')
  return #text <= longest_variant and text or ngx.md5(text)
end

return object_identity
