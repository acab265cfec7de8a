-- A request as conditions look at it: mirrors shared/rule/evaluated-request.ts. Parts that few rules ask for are read
-- when one does.
local byte, find, lower, sub = string.byte, string.find, string.lower, string.sub
local values_of = require('request-headers').values
local query_parameters = require 'query-parameters'
local text = require 'text'
local unicode = require 'unicode'

local methods = { GET = 'get', HEAD = 'head' }

local function extension_of(path)
  for place = #path, 1, -1 do
    local code = byte(path, place)
    if code == 0x2f then return nil end
    if code == 0x2e then return place < #path and lower(sub(path, place + 1)) or nil end
  end
end

local Request = {}
Request.__index = Request

function Request:query()
  if not self.query_values then self.query_values, self.query_names = query_parameters.read(self.search) end
  return self.query_values
end

-- Nil for none.
function Request:extension()
  if self.found_extension == nil then self.found_extension = extension_of(self.path) or false end
  return self.found_extension or nil
end

-- Of all parameters, each once.
function Request:names()
  self:query()
  return self.query_names
end

-- Values of every line of the name, decoded from UTF-8. nginx leaves tabs around them.
function Request:header(name)
  local headers = self.headers or {}
  self.headers = headers
  local values = headers[name]
  if values then return values end
  values = name == 'host' and { self.host } or values_of(name)
  for index = 1, #values do values[index] = unicode.decode(text.stripped(values[index])) end
  headers[name] = values
  return values
end

function Request:cookies()
  if self.cookie_values then return self.cookie_values end
  local cookies = {}
  self.cookie_values = cookies
  for _, line in ipairs(self:header 'cookie') do
    for _, part in ipairs(text.split(line, ';')) do
      local equals = find(part, '=', 1, true)
      local name = unicode.trim(equals and sub(part, 1, equals - 1) or part)
      cookies[name] = cookies[name] or {}
      table.insert(cookies[name], unicode.trim(equals and sub(part, equals + 1) or ''))
    end
  end
  return cookies
end

-- @param path as conditions see it
-- @param search of the canonical target
return function(scheme, host, method, path, search)
  return setmetatable({
    scheme = scheme,
    host = host,
    method = methods[method] or lower(method),
    path = path,
    search = search,
  }, Request)
end
