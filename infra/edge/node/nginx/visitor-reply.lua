-- What the rules make of a response, in the phase of its headers: mirrors infra/edge/embedded/visitor-reply.ts and
-- browserCacheControl of cacheability.ts.
local find, lower = string.find, string.lower

local kept = { [200] = true, [203] = true, [300] = true, [301] = true, [404] = true, [410] = true }
kept[206], kept[304] = true, true

local function set_browser_ttl(seconds)
  if not kept[ngx.status] then return end
  local header = ngx.header
  local said = header['Cache-Control'] or ''
  said = lower(type(said) == 'table' and table.concat(said, ', ') or said)
  if find(said, 'no-store', 1, true) then return end
  local private = find(said, 'private', 1, true) and 'private, ' or ''
  header['Cache-Control'] = ('%smax-age=%.0f'):format(private, seconds)
  -- An age would shorten the time that was set.
  header['Age'], header['Expires'], header['Pragma'] = nil, nil, nil
end

local visitor_reply = {}

-- @return whether there is anything for `change` to do
function visitor_reply.prepare(outcome)
  local changes = {}
  for name, value in pairs(outcome.response_headers) do changes[#changes + 1] = { name = name, value = value } end
  outcome.response_changes = changes
  return #changes > 0 or outcome.browser_ttl_seconds ~= nil
end

function visitor_reply.change()
  local var = ngx.var
  -- nginx would count what frames the chunks as well.
  if not ngx.header['Content-Length'] then var.cdn_bytes = '0' end
  -- Most responses have no context, and even a look at it makes one.
  if var.cdn_has_context == '' then return end
  local context = ngx.ctx
  local outcome = context.outcome
  if context.is_own then ngx.header['Server'] = nil end
  if not outcome then return end
  if outcome.browser_ttl_seconds and not context.is_own then set_browser_ttl(outcome.browser_ttl_seconds) end
  for _, change in ipairs(outcome.response_changes) do ngx.header[change.name] = change.value or nil end
end

-- Of a body in chunks, how long it is.
function visitor_reply.count()
  local counted = ngx.var.cdn_bytes
  if counted ~= '' then ngx.var.cdn_bytes = ('%.0f'):format(counted + #ngx.arg[1]) end
end

return visitor_reply
