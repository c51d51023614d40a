-- Messages that a script sends to webhooks (client protocol, Messages).
--   outgoing(messages)     messages: the queue for them
--   (number, count, ...)   false when too many are waiting, or when the message does not fit into a heartbeat
local json, isUtf8 = ...
local type, tostring, select = type, tostring, select
local sub, gsub = string.sub, string.gsub

local MAX_WAITING = 30
-- Maximum length of a value. It is slightly above the server's limit, so that the server can report
-- values that are too long.
local MAX_TEXT_LENGTH = 8004

-- Converts a value to one that JSON can represent.
local function plain(value)
  if value == nil then return json.null end
  if type(value) == 'boolean' then return value end
  if type(value) == 'number' and value - value == 0 then return value end
  local text = sub(tostring(value), 1, MAX_TEXT_LENGTH)
  return isUtf8(text) and text or (gsub(text, '[\128-\255]', '?'))
end

return function(messages)
  return function(number, count, ...)
    if messages.count >= MAX_WAITING then return false end
    local message = { number }
    for i = 1, count do message[i + 1] = plain((select(i, ...))) end
    local text = json.encode(message)
    return text and messages.add(message, #text) ~= nil or false
  end
end
