-- Names and values of a query: mirrors URLSearchParams, as conditions and the cache's key read them.
local char, find, sub = string.char, string.find, string.sub
local gsub = ngx.re.gsub
local split = require('text').split
local decode = require('unicode').decode

local function byte_of(match)
  return char(tonumber(sub(match[0], 2), 16))
end

local function decoded(text)
  if not find(text, '+', 1, true) and not find(text, '%', 1, true) then return text end
  text = gsub(text, '\\+', ' ', 'jo')
  return decode((gsub(text, '%[0-9a-fA-F]{2}', byte_of, 'jo')))
end

local query_parameters = {}

-- @param parameter as it stands between two ampersands
-- @return its name and its value
function query_parameters.parameter(parameter)
  local equals = find(parameter, '=', 1, true)
  if not equals then return decoded(parameter), '' end
  return decoded(sub(parameter, 1, equals - 1)), decoded(sub(parameter, equals + 1))
end

-- @param search of a canonical target, so that all of it is ASCII
-- @return lists of values by name, and all names in their order
function query_parameters.read(search)
  local values, names = {}, {}
  if search == '' then return values, names end
  for _, parameter in ipairs(split(sub(search, 2), '&')) do
    if parameter ~= '' then
      local name, value = query_parameters.parameter(parameter)
      local list = values[name]
      if not list then
        list = {}
        values[name] = list
        names[#names + 1] = name
      end
      list[#list + 1] = value
    end
  end
  return values, names
end

return query_parameters
