-- The edge's own responses: mirrors infra/edge/embedded/reply.ts.
local reply = {}

-- @param outcome what the rules say of the response, where they were asked
function reply.own(status, text, headers, outcome)
  local is_read = pcall(ngx.req.discard_body)
  ngx.status = status
  local context = ngx.ctx
  context.is_own, context.outcome = true, outcome
  ngx.var.cdn_has_context = '1'
  local header = ngx.header
  -- Of a body whose chunks cannot be read nobody knows where it ends.
  if not is_read then header['Connection'] = 'close' end
  header['Content-Type'] = 'text/plain'
  header['Content-Length'] = #text + 1
  header['X-Cache'] = 'MISS'
  for name, value in pairs(headers or {}) do header[name] = value end
  ngx.print(text, '\n')
  return ngx.exit(ngx.HTTP_OK)
end

return reply
