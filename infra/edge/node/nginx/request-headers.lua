-- What a visitor's header lines say about how the request is handled, found without making a text of any of them.
-- Names are in lower case here, as nginx keeps them.
local ffi = require 'ffi'
local base = require 'resty.core.base'
local starts = require('text').starts
local C = ffi.C
local get_request = base.get_request
local str = ffi.string
local lower, re_find, re_gmatch = string.lower, ngx.re.find, ngx.re.gmatch

require 'resty.core.request'

local maximum_lines = 500
-- With what an edge adds; Varnish takes no more.
local maximum_lines_of_edge = 600
local maximum_nominated = 100
local truncated = ffi.new 'int[1]'
local lines = ffi.new('ngx_http_lua_ffi_table_elt_t[?]', maximum_lines_of_edge)

-- What begins with x-cdn- or x-origin-, whatever stands for the hyphens: edges speak with themselves by these.
local internal = [[\Ax[^a-z0-9](?:cdn|origin)[^a-z0-9]|\Ax[^a-z0-9](?:cdn|origin)\z]]

local function is_internal(name, length)
  local separator = name[1]
  if name[0] ~= 0x78 or separator >= 0x61 and separator <= 0x7a or separator >= 0x30 and separator <= 0x39 then return false end
  local third = name[2]
  return (third == 0x63 or third == 0x6f) and re_find(str(name, length), internal, 'jo') ~= nil
end

local kept = { host = true, ['content-length'] = true, ['transfer-encoding'] = true, ['cdn-loop'] = true }

-- Adds the names that a visitor's Connection header takes for this connection alone. @return nil for too many
local function nominated(value, names)
  if value == 'keep-alive' or value == 'close' then return names end
  local count = 0
  for name in re_gmatch(lower(value), '[^\\s,]+', 'jo') do
    count = count + 1
    if count > maximum_nominated then return nil end
    if not kept[name[0]] then names[name[0]] = true end
  end
  return names
end

-- Of the request that was read last.
local count = 0

local request_headers = {}

-- Of the request that `read` has looked at: other requests use the same memory, so nothing may wait in between.
-- @return the values of all lines of a name, in bytes
function request_headers.values(name)
  local values, length = {}, #name
  for index = 0, count - 1 do
    local line = lines[index]
    if line.key.len == length and starts(line.key.data, name) then
      values[#values + 1] = str(line.value.data, line.value.len)
    end
  end
  return values
end

-- @param is_of_edge whether an edge asks
-- @return nil for more lines or names than are read; else whether there are a Cookie, an Authorization and a CDN-Loop, and the set of
-- names that `drop` takes, nil for none
function request_headers.read(is_of_edge)
  local request = get_request()
  count = C.ngx_http_lua_ffi_req_get_headers_count(request, 0, truncated)
  if count > (is_of_edge and maximum_lines_of_edge or maximum_lines) then
    count = 0
    return nil
  end
  C.ngx_http_lua_ffi_req_get_headers(request, lines, count, 0)
  local has_cookie, has_authorization, has_loop, dropped = false, false, false, nil
  for index = 0, count - 1 do
    local line = lines[index]
    local length = line.key.len
    if length == 6 then
      has_cookie = has_cookie or starts(line.key.data, 'cookie')
    elseif length == 13 then
      has_authorization = has_authorization or starts(line.key.data, 'authorization')
    elseif length == 8 then
      has_loop = has_loop or starts(line.key.data, 'cdn-loop')
    elseif length == 10 and starts(line.key.data, 'connection') then
      dropped = nominated(str(line.value.data, line.value.len), dropped or {})
      if not dropped then return nil end
    end
    if length > 4 and is_internal(line.key.data, length) then
      dropped = dropped or {}
      dropped[str(line.key.data, length)] = true
    end
  end
  return { has_cookie = has_cookie, has_authorization = has_authorization, has_loop = has_loop, dropped = dropped }
end

-- Takes from the request what no visitor may say. Rules look at it before.
function request_headers.drop(names)
  if not names then return end
  for name in pairs(names) do ngx.req.clear_header(name) end
end

return request_headers
