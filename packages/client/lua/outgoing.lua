-- Messages of a script to chat channels (client protocol, Messages).
--   outgoing(messages)     messages: the queue in which they wait
--     (number, count, ...) false when too many wait, or when they fit into no beat
local json, isUtf8 = ...
local type, tostring, select = type, tostring, select
local sub, gsub = string.sub, string.gsub

local MAX_WAITING = 30
-- Of a value; a little more than the server takes, so that it can say that one was too long.
local MAX_TEXT_LENGTH = 8004

-- A value as JSON has it.
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
