-- Takes the agent's changes: `{"changes": [{propertyId, version, document}], "isReady": boolean}`.
local decode_json = require('site').decode_json
local write = require('config-store').write

local function body()
  ngx.req.read_body()
  local text = ngx.req.get_body_data()
  if text then return text end
  local path = ngx.req.get_body_file()
  local file = path and io.open(path)
  if not file then return '' end
  text = file:read '*a'
  file:close()
  return text
end

local function respond(status, text)
  ngx.status = status
  if text then ngx.print(text, '\n') end
end

return function()
  if ngx.req.get_method() ~= 'POST' then return respond(405, 'POST changes here.') end
  local is_json, message = pcall(decode_json, body())
  if not is_json or type(message) ~= 'table' or type(message.changes) ~= 'table' then
    return respond(400, 'The body is no list of changes.')
  end
  local fault, status = write(message.changes, message.isReady == true)
  if fault then return respond(status, fault) end
  respond(204)
end
