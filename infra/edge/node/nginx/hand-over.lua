-- Leaves a request to Varnish: what Varnish must know of it goes into variables, of which nginx.conf makes headers. Mirrors
-- infra/edge/embedded/origin-request.ts and isCacheableRequest of cacheability.ts.
local lower = string.lower
local var = ngx.var
local asked_for = require 'asked'
local origin_headers = require 'origin-headers'
local request_headers = require 'request-headers'
local sites = require 'sites'

local name = [[\A(?=.{1,253}\z)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)(?![0-9]+\z)[a-z0-9-]{1,63}(?<!-)\z]]

local function is_ruled(outcome, header)
  return outcome.request_headers[header] ~= nil
end

-- What asks for one visitor is never served from the cache, unless a rule keeps it from the origin.
local function is_passed(outcome, method, headers)
  return method ~= 'get' and method ~= 'head'
    or outcome.bypass
    or headers.has_cookie and not is_ruled(outcome, 'cookie')
    or headers.has_authorization and not is_ruled(outcome, 'authorization')
end

-- Only a fixed site has a host that is no name of a property: its origin is sent what the visitor sent, and nothing is
-- stored.
local function is_strange(host)
  return sites.is_fixed() and not ngx.re.find(host, name, 'jo')
end

local function say_strange_host(document, outcome)
  local sent = var.http_host or ''
  -- A host in the request line goes before the header.
  if lower(sent):gsub(':%d*$', '') ~= var.host then sent = var.host end
  var.cdn_host = sent
  var.cdn_fetch = asked_for.fetch_of(document, outcome, sent)
  var.cdn_pass = '1'
end

-- @param asked what is asked for, as asked.lua says
-- @param headers what request-headers.lua has read
return function(document, outcome, asked, request, headers)
  asked_for.identify(asked, document, outcome, request)
  var.cdn_url = asked.url
  var.cdn_key = asked.key
  var.cdn_fetch = asked.fetch
  if asked.is_deep or is_passed(outcome, request.method, headers) then var.cdn_pass = '1' end
  if is_strange(request.host) then say_strange_host(document, outcome) end
  request_headers.drop(headers.dropped)
  if outcome.origin_changes then origin_headers.change(outcome.origin_changes) end
  if outcome.changes_response then
    ngx.ctx.outcome = outcome
    var.cdn_has_context = '1'
  end
end
