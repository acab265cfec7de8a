-- The path of a request as conditions see it: mirrors shared/rule/condition-path.ts.
local byte, char, find, format, sub, upper = string.byte, string.char, string.find, string.format, string.sub, string.upper
local gsub, re_find = ngx.re.gsub, ngx.re.find

local unescaped = [==[[^\x21-\x7e]|["#<>^`{}]]==]
local unreserved = [[\A[\w.~-]\z]]
local dot_segment = [[(?:/|%2F|%5C)\.{1,2}(?=/|%2F|%5C|%23|\z)]]

local function escape(match)
  return format('%%%02X', byte(match[0]))
end

local function unescape(match)
  local character = char(tonumber(sub(match[0], 2), 16))
  return re_find(character, unreserved, 'jo') and character or upper(match[0])
end

local function comparable_path(text)
  text = gsub(text, unescaped, escape, 'jo')
  text = gsub(text, '%[0-9a-fA-F]{2}', unescape, 'jo')
  return (gsub(text, '/{2,}', '/', 'jo'))
end

-- @param target decoded path and query as the client wrote them
-- @return nil for what an edge refuses
return function(target)
  local mark = find(target, '?', 1, true)
  local written = mark and sub(target, 1, mark - 1) or target
  if byte(written, 1) ~= 47 then return nil end
  if find(written, '\\', 1, true) then return nil end
  if re_find(comparable_path(written), dot_segment, 'jo') then return nil end
  local fragment = find(written, '#', 1, true)
  return comparable_path(fragment and sub(written, 1, fragment - 1) or written)
end
