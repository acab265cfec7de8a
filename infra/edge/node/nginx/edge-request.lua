-- What reaches a shield. An edge that it knows has applied the rules, and is believed in what it says of a request; everybody
-- else is a visitor.
local find, match = string.find, string.match
local var = ngx.var
local clear_header = ngx.req.clear_header
local origin_of = require('asked').origin_of
local own = require('reply').own
local request_headers = require 'request-headers'
local sites = require 'sites'
local visit = require 'visit'

-- Whether the edge's configuration and the shield's have the same origin: nothing of an old or a foreign one is stored here.
local function has_same_origin(document, host, fetch)
  return document ~= nil and match(fetch, '^%S+ %S+ %S+ %S+ (.*)$') == origin_of(document, host)
end

-- What rules set comes under internal names.
local function drop_others(names)
  for name in pairs(names or {}) do
    if not find(name, '^x%-cdn%-set%-') then clear_header(name) end
  end
end

local edge_request = {}

-- Leaves a request to Varnish, in the variables of hand-over.lua.
function edge_request.handle()
  local key = var.cdn_is_edge == '1' and var.http_x_cdn_key
  if not key or not visit.allowed[ngx.req.get_method()] then return visit.handle() end
  local id, host = match(key, '^(%S+) (%S+) ')
  local url, fetch, headers = var.http_x_cdn_url, var.http_x_cdn_fetch, request_headers.read(true)
  if not (id and url and fetch and headers) then return own(400, 'What the edge says cannot be read.') end
  local document, is_early = sites.of_property(id)
  if is_early then return own(503, 'The shield is starting.') end
  var.cdn_url, var.cdn_key, var.cdn_fetch, var.cdn_edge = url, key, fetch, '1'
  if var.http_x_cdn_pass or not has_same_origin(document, host, fetch) then var.cdn_pass = '1' end
  -- A rule may have removed any of them.
  var.cdn_forwarded_for = var.http_x_forwarded_for and var.cdn_edge_addresses
  var.cdn_forwarded_host, var.cdn_forwarded_proto = var.http_x_forwarded_host, var.http_x_forwarded_proto
  drop_others(headers.dropped)
end

return edge_request
