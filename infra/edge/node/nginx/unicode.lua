-- What JavaScript does with texts, on bytes: mirrors Buffer.toString() and String.trim() as
-- shared/rule/evaluated-request.ts calls them. A text here is a string of well-formed UTF-8.
local byte, sub = string.byte, string.sub
local concat = table.concat
local find = ngx.re.find

local replacement = '\239\191\189'

-- Bytes that follow a first one, and what the second may be; nil where the byte begins nothing.
local following, lowest, highest = {}, {}, {}
for first = 0xc2, 0xf4 do
  following[first] = first < 0xe0 and 1 or first < 0xf0 and 2 or 3
  lowest[first] = first == 0xe0 and 0xa0 or first == 0xf0 and 0x90 or 0x80
  highest[first] = first == 0xed and 0x9f or first == 0xf4 and 0x8f or 0xbf
end

-- @return the place behind the sequence that begins at `place`, and whether it is whole
local function sequence_end(text, place)
  local first = byte(text, place)
  if first < 0x80 then return place + 1, true end
  local count = following[first]
  if not count then return place + 1, false end
  local low, high = lowest[first], highest[first]
  for offset = 1, count do
    local continuation = byte(text, place + offset)
    if not continuation or continuation < low or continuation > high then return place + offset, false end
    low, high = 0x80, 0xbf
  end
  return place + count + 1, true
end

local unicode = {}

-- Characters of a text.
function unicode.characters(text)
  local characters, count, place = {}, 0, 1
  while place <= #text do
    local next_place = sequence_end(text, place)
    count = count + 1
    characters[count] = sub(text, place, next_place - 1)
    place = next_place
  end
  return characters
end

-- Decodes as the WHATWG's standard says: U+FFFD for each longest beginning of what is none.
function unicode.decode(bytes)
  if not find(bytes, '[\\x80-\\xff]', 'jo') then return bytes end
  local parts, count, place = {}, 0, 1
  while place <= #bytes do
    local next_place, is_whole = sequence_end(bytes, place)
    count = count + 1
    parts[count] = is_whole and sub(bytes, place, next_place - 1) or replacement
    place = next_place
  end
  return concat(parts)
end

local space = [[(?:[\t-\r ]|\xc2\xa0|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf)]]

-- Each search begins at the text's other end at most once, so that a long run of spaces costs no square.
function unicode.trim(text)
  local first = byte(text, 1)
  local last = byte(text, -1)
  if not first or first > 0x20 and first < 0x80 and last > 0x20 and last < 0x80 then return text end
  local _, before = find(text, '\\A' .. space .. '*+', 'jo')
  text = sub(text, (before or 0) + 1)
  local characters = unicode.characters(text)
  local count = #characters
  while count > 0 and find(characters[count], '\\A' .. space .. '\\z', 'jo') do count = count - 1 end
  return concat(characters, '', 1, count)
end

return unicode
