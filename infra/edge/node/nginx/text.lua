-- What Lua's own library leaves to do with texts.
local ffi = require 'ffi'
local byte, find, sub = string.byte, string.find, string.sub
local C = ffi.C

ffi.cdef [[int memcmp(const void *one, const void *other, size_t length);]]

local text = {}

-- @param bytes at least as many as `part` has
function text.starts(bytes, part)
  return C.memcmp(bytes, part, #part) == 0
end

-- @param separator one character
-- @return its parts, empty ones among them
function text.split(whole, separator)
  local parts, count, start = {}, 0, 1
  while true do
    local place = find(whole, separator, start, true)
    count = count + 1
    parts[count] = sub(whole, start, place and place - 1)
    if not place then return parts end
    start = place + 1
  end
end

local function is_blank(code)
  return code == 0x20 or code == 0x09
end

-- Without spaces and tabs around it.
function text.stripped(whole)
  local first, last = 1, #whole
  while first <= last and is_blank(byte(whole, first)) do first = first + 1 end
  while last >= first and is_blank(byte(whole, last)) do last = last - 1 end
  return sub(whole, first, last)
end

return text
