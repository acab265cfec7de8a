-- What a visitor is told in place of nginx's own pages.
local match = string.match
local own = require('reply').own
local visit = require 'visit'

local texts = {
  [400] = 'The request cannot be read.',
  [405] = 'Method Not Allowed',
  [408] = 'The request came too slowly.',
  [413] = 'The request is too large.',
  [500] = 'The edge has failed.',
  [502] = 'The origin is away.',
  [503] = 'The edge is busy.',
  [504] = 'The origin is away.',
}

local unreadable = { [414] = true, [494] = true, [501] = true, [505] = true }

-- nginx takes a method that is not in capitals for no HTTP at all.
local function is_other_method(request)
  return ngx.re.find(request, [[\A(?=[A-Z]*[a-z])[A-Za-z]++ /[!-~]*+ HTTP/1\.[01]\z]], 'jo') ~= nil
end

return function()
  local status, request = ngx.status, ngx.var.request or ''
  -- What a visitor has made wrong is no failure of the edge.
  if unreadable[status] then status = 400 end
  if status == 400 and is_other_method(request) then status = 405 end
  local headers = status == 405 and { Allow = visit.allow } or nil
  -- nginx handles a failure as a GET.
  local outcome = status >= 502 and visit.outcome(match(request, '^%u+') or 'GET') or nil
  own(status, texts[status] or 'The request cannot be served.', headers, outcome)
end
