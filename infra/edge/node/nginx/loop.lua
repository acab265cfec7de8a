-- Whether a request has been at a site before, whose origin leads back to an edge: mirrors infra/edge/embedded/loop.ts.
-- An edge that the API configures adds the property to CDN-Loop when it asks an origin. Source: RFC 8586.
local match = string.match
local request_headers = require 'request-headers'
local split = require('text').split

local maximum_members = 8

-- Of the request that request-headers.lua has read last.
return function(property_id)
  local members = split(table.concat(request_headers.values('cdn-loop'), ','), ',')
  if #members > maximum_members then return true end
  for _, member in ipairs(members) do
    if match(member, '^[ \t]*([^ \t;]*)') == property_id then return true end
  end
  return false
end
