-- A target in the three forms that an edge needs, as infra/edge/embedded/visit.ts makes them.
local find, sub = string.find, string.sub
local re_find = ngx.re.find
local canonical_url = require 'canonical-url'
local condition_path = require 'condition-path'
local decode = require('unicode').decode

-- A path and a query that every form writes in one way, but for the order of parameters and the case of escapes.
local plain = [==[\A(?:[!$&-.0-;=@-\[\]_a-z|~]++|/(?![/.]))++(?:\?[!$-&(-;=?-~]++)?+\z]==]

-- Of a line of 8 KB with each byte escaped, since Varnish takes no longer ones: what stands for a byte that is no UTF-8
-- would be nine times as long.
local longest = 3 * 8192

-- @param bytes path and query as the client wrote them; bytes beyond ASCII are UTF-8
-- @return the path as conditions see it, nil for what is refused; path and search as an origin is asked;
-- path and search of the cache's key
return function(bytes)
  if re_find(bytes, plain, 'jo') then
    local mark = find(bytes, '?', 1, true)
    if not mark then return bytes, bytes, '', bytes, '' end
    local path, search = sub(bytes, 1, mark - 1), sub(bytes, mark)
    return path, path, search, canonical_url.canonical(path, search)
  end
  local target = decode(bytes)
  local path = condition_path(target)
  if not path then return nil end
  local spelled_path, spelled_search = canonical_url.spelled(target)
  if #spelled_path + #spelled_search > longest then return nil end
  return path, spelled_path, spelled_search, canonical_url.canonical(spelled_path, spelled_search)
end
