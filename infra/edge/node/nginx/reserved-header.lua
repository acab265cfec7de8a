-- Whether a rule may neither set nor remove a header: mirrors isReservedHeader of shared/rule/header-name.ts, for rules
-- that were made before a name was refused.
local gsub, lower = string.gsub, string.lower

local names = {}
for name in
  ([[host content-length transfer-encoding connection keep-alive te trailer upgrade expect http2-settings proxy-connection proxy-authenticate
    proxy-authorization age x-cache x-varnish cdn-loop xkey x-hashtwo x-purge-time x-purge-mode x-purge-keys x-purge-signature]]):gmatch '%S+'
do
  names[name] = true
end

return function(name)
  local read = gsub(lower(name), '_', '-')
  return names[read] == true or read:find '^x%-cdn%-' ~= nil or read:find '^x%-origin%-' ~= nil
end
