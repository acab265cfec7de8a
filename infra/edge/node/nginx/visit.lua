-- One request, all by one version of its site's configuration: mirrors infra/edge/embedded/visit.ts, ruled-reply.ts and
-- allowed-methods.ts.
local format = string.format
local var, req = ngx.var, ngx.req
local is_certified = require('certificates').cover
local find_asked = require('asked').find
local evaluate = require('evaluate').evaluate
local evaluated_request = require 'evaluated-request'
local hand_over = require 'hand-over'
local is_loop = require 'loop'
local object_identity = require 'object-identity'
local origin_headers = require 'origin-headers'
local own = require('reply').own
local request_headers = require 'request-headers'
local sites = require 'sites'
local visitor_reply = require 'visitor-reply'

local allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
local allowed = {}
for method in allow:gmatch '%u+' do allowed[method] = true end

-- What can be said of an outcome before there is a request.
local function prepare(outcome)
  outcome.ttl = outcome.cache_ttl_seconds and format('%.0f', outcome.cache_ttl_seconds)
  outcome.variant = object_identity.variant(outcome)
  outcome.origin_changes = origin_headers.prepare(outcome.request_headers)
  outcome.changes_response = visitor_reply.prepare(outcome)
  return outcome
end

-- What the rules let the edge reply by itself.
local function reply_by_rule(outcome, request, asked)
  if outcome.block then return own(403, 'Forbidden', nil, outcome) end
  local redirect = outcome.redirect
  if redirect then return own(redirect.status, 'Moved', { Location = redirect.location }, outcome) end
  -- A 308 keeps the method.
  if outcome.force_https and request.scheme == 'http' then
    return own(308, 'Moved', { Location = 'https://' .. request.host .. asked.spelled_path .. asked.spelled_search }, outcome)
  end
end

-- @return a name of a location
local function location_of_purge()
  if var.cdn_purger ~= '1' then return '@stranger' end
  return not sites.is_fixed() and var.http_x_purge_mode == 'poll' and '@poll' or '@purge'
end

local function headers_of_request()
  return request_headers.read() or own(400, 'The request has too many header lines, or names in its Connection header.')
end

local function respond_to_other(method)
  if method ~= 'PURGE' then return own(405, 'Method Not Allowed', { Allow = allow }) end
  request_headers.drop(headers_of_request().dropped)
  return ngx.exec(location_of_purge())
end

local function site_of(host)
  local document, is_early = sites.find(host)
  if is_early then return own(503, 'The edge is starting.', { ['Retry-After'] = '1' }) end
  if not document then return own(404, 'No site of this name is served here.') end
  if document.is_paused then return own(503, 'The site is paused.', { ['Retry-After'] = '60' }) end
  return document
end

-- @return nil for what is refused; what is asked for, the request and what the rules make of it
local function treatment_of(document, host, method)
  local scheme = var.cdn_scheme
  local asked = find_asked(document, scheme, host, method, var.request_uri or '')
  if not asked then return nil end
  local request = evaluated_request(scheme, host, method, asked.path, asked.canonical_search)
  return asked, request, evaluate(document, asked.steps, request, prepare)
end

local visit = { allow = allow, allowed = allowed }

-- Responds to a request, or leaves it to Varnish. A response of the edge's own ends the handling.
function visit.handle()
  local method, host = req.get_method(), var.host
  if not allowed[method] then return respond_to_other(method) end
  if host == '' then return own(400, 'The request names no host.') end
  -- A connection may be older than what is certified now, and be of another name.
  if var.scheme == 'https' and not is_certified(host) then return own(421, 'There is no certificate of this name.') end
  local document = site_of(host)
  local headers = headers_of_request()
  if headers.has_loop and is_loop(document.propertyId) then return own(508, 'The origin leads back to this site.') end
  local asked, request, outcome = treatment_of(document, host, method)
  if not asked then return own(400, 'The request target cannot be read.') end
  reply_by_rule(outcome, request, asked)
  hand_over(document, outcome, asked, request, headers)
end

-- What the rules say of a response to a request that came to nothing.
-- @param method as the visitor wrote it
function visit.outcome(method)
  local host = var.host
  local document = sites.find(host)
  if not document or not request_headers.read() then return nil end
  local _, _, outcome = treatment_of(document, host, method)
  return outcome
end

return visit
