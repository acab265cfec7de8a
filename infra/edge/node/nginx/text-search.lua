-- One text in which many things are looked for: mirrors shared/rule/text-search.ts, whose bound it keeps. What is so
-- small that the language's own search is done sooner is left to it.
local bit = require 'bit'
local ffi = require 'ffi'
local find = string.find
local cast = ffi.cast
local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local starts, split = require('text').starts, require('text').split
local characters_of = require('unicode').characters

local bytes = ffi.typeof 'const char *'
local word_bits = 32
local all_bits = -1
local new_places = ffi.typeof 'int32_t[?]'

-- Steps that the language's own search may need.
local small = 32768

local function add(places, place)
  local index = rshift(place, 5)
  places[index] = bor(places[index], lshift(1, place % word_bits))
end

local function has(places, place)
  return band(places[rshift(place, 5)], lshift(1, place % word_bits)) ~= 0
end

-- Goes one character on from each reached place that is allowed. @return false when none was
local function advance(reached, allowed, words)
  local carry, any = 0, 0
  for index = 0, words - 1 do
    local from = band(reached[index], allowed[index])
    reached[index] = bor(lshift(from, 1), carry)
    carry = rshift(from, word_bits - 1)
    any = bor(any, from)
  end
  return any ~= 0
end

-- Reaches every place from the first reached one on.
local function spread(reached, words)
  local first = 0
  while reached[first] == 0 do first = first + 1 end
  local word = reached[first]
  reached[first] = bor(word, -word)
  for index = first + 1, words - 1 do reached[index] = all_bits end
end

-- Where each character stands in a text, and where any does.
local function index_of(text)
  local characters = characters_of(text)
  local words = rshift(#characters, 5) + 1
  local anywhere, positions = new_places(words), {}
  for place, character in ipairs(characters) do
    local list = positions[character]
    if not list then
      list = {}
      positions[character] = list
    end
    list[#list + 1] = place - 1
    add(anywhere, place - 1)
  end
  return { length = #characters, words = words, anywhere = anywhere, positions = positions, places = {} }
end

local function places_of(index, character)
  local places = index.places[character]
  if places then return places end
  local positions = index.positions[character]
  if not positions then return nil end
  places = new_places(index.words)
  for _, place in ipairs(positions) do add(places, place) end
  index.places[character] = places
  return places
end

local function follow(index, reached, allowed)
  return allowed ~= nil and advance(reached, allowed, index.words)
end

local function long_wildcard(index, symbols)
  local reached = new_places(index.words)
  add(reached, 0)
  for _, symbol in ipairs(symbols) do
    if symbol == '*' then
      spread(reached, index.words)
    elseif not follow(index, reached, symbol == '?' and index.anywhere or places_of(index, symbol)) then
      return false
    end
  end
  return has(reached, index.length)
end

local function long_contains(index, part)
  local reached = new_places(index.words)
  for word = 0, index.words - 1 do reached[word] = all_bits end
  for _, symbol in ipairs(characters_of(part)) do
    if not follow(index, reached, places_of(index, symbol)) then return false end
  end
  return true
end

local function begins(text, part)
  return #part <= #text and starts(text, part)
end

local function ends(text, part)
  return #part <= #text and starts(cast(bytes, text) + (#text - #part), part)
end

-- Without a question mark: the pieces between stars one after the other, each where it stands first.
local function short_wildcard(text, pieces)
  local count = #pieces
  local first, last = pieces[1], pieces[count]
  if count == 1 then return text == first end
  local stop = #text - #last
  if #first > stop or not begins(text, first) or not ends(text, last) then return false end
  local place = #first + 1
  for number = 2, count - 1 do
    local piece = pieces[number]
    local start, found = find(text, piece, place, true)
    if not start or found > stop then return false end
    place = found + 1
  end
  return true
end

-- What one request has looked into is kept with it, by text.
local function search_in(request, text)
  local searches = request.searches or {}
  request.searches = searches
  local index = searches[text]
  if not index then
    index = index_of(text)
    searches[text] = index
  end
  return index
end

local text_search = { begins = begins, ends = ends }

-- A pattern as `wildcard` takes it, made once for each document.
function text_search.compile(pattern)
  if find(pattern, '?', 1, true) then return { symbols = characters_of(pattern) } end
  return { pieces = split(pattern, '*'), text = pattern }
end

-- About what a pattern takes of a worker's memory.
function text_search.bytes_of(pattern)
  return 250 + 20 * #pattern
end

-- Whether a pattern matches the whole text: `*` any run of characters, also none; `?` one character.
function text_search.wildcard(request, text, pattern)
  if pattern.pieces and #text * #pattern.text <= small then return short_wildcard(text, pattern.pieces) end
  return long_wildcard(search_in(request, text), pattern.symbols or characters_of(pattern.text))
end

function text_search.contains(request, text, part)
  if #text * #part <= small then return find(text, part, 1, true) ~= nil end
  return long_contains(search_in(request, text), part)
end

return text_search
