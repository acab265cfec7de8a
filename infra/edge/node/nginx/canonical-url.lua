-- Path and query in the form of the cache's key: mirrors shared/property/canonical-url.ts, and of `new URL` what is
-- left to do for a target without dot segments and backslashes in its path, which condition-path.lua refuses before.
local byte, find, sub, upper, format = string.byte, string.find, string.sub, string.upper, string.format
local concat = table.concat
local gsub = ngx.re.gsub
local re_find = ngx.re.find
local split = require('text').split

local in_path_escaped = [==[[\x00-\x20"<>?^`{}\x7f-\xff]]==]
local in_query_escaped = [==[[\x00-\x20"'<>\x7f-\xff]]==]

local function escape(match)
  return format('%%%02X', byte(match[0]))
end

local function upper_case(match)
  return upper(match[0])
end

local function escaped(text, characters)
  if not re_find(text, characters, 'jo') then return text end
  return (gsub(text, characters, escape, 'jo'))
end

local function upper_case_escapes(text)
  if not find(text, '%', 1, true) then return text end
  return (gsub(text, '%[0-9a-fA-F]{2}', upper_case, 'jo'))
end

local canonical_url = {}

-- What an origin is asked: a target as a browser would send it.
-- @param target decoded
-- @return path and search, which is empty or begins with a question mark
function canonical_url.spelled(target)
  local fragment = find(target, '#', 1, true)
  if fragment then target = sub(target, 1, fragment - 1) end
  local mark = find(target, '?', 1, true)
  if not mark then return escaped(target, in_path_escaped), '' end
  local search = mark < #target and escaped(sub(target, mark), in_query_escaped) or ''
  return escaped(sub(target, 1, mark - 1), in_path_escaped), search
end

local function is_sorted(parts)
  for index = 2, #parts do
    if parts[index] < parts[index - 1] then return false end
  end
  return true
end

-- Merges, because a visitor who chooses the order could make table.sort take time by the square of their number.
local function sort(parts)
  local from, to = parts, {}
  local count, width = #parts, 1
  while width < count do
    for left = 1, count, 2 * width do
      local middle, right = math.min(left + width, count + 1), math.min(left + 2 * width, count + 1)
      local one, other = left, middle
      for place = left, right - 1 do
        if one < middle and (other >= right or not (from[other] < from[one])) then
          to[place], one = from[one], one + 1
        else
          to[place], other = from[other], other + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  return from
end

local function sorted_query(search)
  search = upper_case_escapes(search)
  if not find(search, '&', 2, true) then return search end
  local parts = split(sub(search, 2), '&')
  return is_sorted(parts) and search or '?' .. concat(sort(parts), '&')
end

-- @param path, search as `spelled` returns them
-- @return path and search of the cache's key
function canonical_url.canonical(path, search)
  return upper_case_escapes(path), search == '' and '' or sorted_query(search)
end

return canonical_url
