-- What an action decides: mirrors aspectsOf of shared/rule/conflicts.ts.
local lower = string.lower

local aspects = {
  cacheTtl = { 'edge cache' },
  bypassCache = { 'edge cache' },
  block = { 'response' },
  redirect = { 'response', 'path' },
  rewritePath = { 'path' },
  browserTtl = { 'browserTtl' },
  forceHttps = { 'forceHttps' },
  ignoreQueryString = { 'ignoreQueryString' },
}

local headers = {
  setRequestHeader = 'request header ',
  removeRequestHeader = 'request header ',
  setResponseHeader = 'response header ',
  removeResponseHeader = 'response header ',
}

return function(action)
  local known = aspects[action.type]
  if known then return known end
  local header = assert(headers[action.type], 'an action is of no known type')
  return { header .. lower(action.name) }
end
