-- What the rules make of the headers that an origin gets: mirrors `changeHeaders` as infra/edge/embedded/origin-request.ts
-- uses it. Varnish drops what an origin might listen to unkeyed; of these names a rule's value travels under another one.
local re_find = ngx.re.find
local set_header, clear_header = ngx.req.set_header, ngx.req.clear_header

-- As in origin-request.vcl, which says why, and what belongs to one visitor's request alone.
local dropped = [[\A(?:(?:.*.)?forwarded(?:..*)?|(?:.*.)?(?:client|real|remote|connecting|originating).(?:ip|addr)]]
  .. [[|x.(?:url.)?scheme|front.end.https|proxy|surrogate.capability]]
  .. [[|x.(?:(?:http.)?host(?:.override)?|(?:original|rewrite|override)(?:..*)?)]]
  .. [[|x.(?:http.)?method(?:.override)?|x(?:key|.(?:hashtwo|guard.*|cache|purge..*))]]
  .. [[|content..*|if..*|accept.encoding|cache.control|pragma|proxy.authorization|range|transfer.encoding)\z]]

-- Which nginx itself sets, from these variables, where no rule does.
local variables = {
  ['x-forwarded-for'] = 'cdn_forwarded_for',
  ['x-forwarded-host'] = 'cdn_forwarded_host',
  ['x-forwarded-proto'] = 'cdn_forwarded_proto',
}

local origin_headers = {}

-- @return what `change` does, in a list
function origin_headers.prepare(changes)
  local prepared = {}
  for name, value in pairs(changes) do
    local is_dropped = value and re_find(name, dropped, 'jo')
    prepared[#prepared + 1] =
      { name = name, value = value, variable = variables[name], carrier = is_dropped and 'x-cdn-set-' .. name }
  end
  return #prepared > 0 and prepared or nil
end

function origin_headers.change(prepared)
  for _, change in ipairs(prepared) do
    if change.variable then ngx.var[change.variable] = '' end
    if change.value and not change.carrier then
      set_header(change.name, change.value)
    else
      clear_header(change.name)
      if change.carrier then set_header(change.carrier, change.value) end
    end
  end
end

return origin_headers
