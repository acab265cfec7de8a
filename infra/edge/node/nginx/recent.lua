-- What was used last, up to a size: two generations, of which the older is dropped when the younger has half the size.
-- So it keeps what an LRU of half the size would, and finding costs one look into a table.
local Recent = {}
Recent.__index = Recent

function Recent:get(key)
  local entry = self.young[key]
  if entry then return entry.value end
  entry = self.old[key]
  if not entry then return nil end
  self:put(key, entry)
  return entry.value
end

function Recent:put(key, entry)
  self.old[key] = nil
  if self.size + entry.size > self.maximum / 2 then
    self.old, self.young, self.size = self.young, {}, 0
  end
  self.young[key] = entry
  self.size = self.size + entry.size
end

function Recent:set(key, value, size)
  local known = self.young[key]
  if known then self.size = self.size - known.size end
  self:put(key, { value = value, size = size })
end

return function(maximum)
  return setmetatable({ young = {}, old = {}, size = 0, maximum = maximum }, Recent)
end
