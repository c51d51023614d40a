-- Server function calls made by a script (client protocol, Asks).
--   asks()               counts the calls of one run
--   (name, count, ...)   the call as JSON values, and the bytes of its JSON; or nil and what is wrong
local host, json, isUtf8 = ...
local type, select, match, min = type, select, string.match, math.min

-- The same rate as the server allows, so that a flood costs no round trips.
local AT_ONCE, A_SECOND = 20, 1
local MAX_VALUES, MAX_NAME_LENGTH, MAX_ARGUMENT_BYTES = 16, 40, 16384

-- Copies the arguments, so that later changes by the script are not sent, and checks their depth inside a heartbeat.
local function copy(name, count, ...)
  local message = { name }
  for i = 1, count do
    local value = select(i, ...)
    if value == nil then value = json.null end
    message[i + 1] = value
  end
  local text, problem = json.encode({ a = { message } })
  if text and not isUtf8(text) then return nil, 'strings must be UTF-8' end
  if not text then return nil, problem end
  return json.decode(text).a[1], #text
end

local function isNumber(name)
  return type(name) == 'number'
end

local function isName(name)
  return type(name) == 'string' and #name <= MAX_NAME_LENGTH and match(name, '^[a-z][a-z0-9_]*$') ~= nil
end

return function()
  local left, counted = AT_ONCE, host.now()

  local function isTooOften()
    local now = host.now()
    left, counted = min(AT_ONCE, left + (now - counted) * A_SECOND), now
    if left < 1 then return true end
    left = left - 1
  end

  -- Code that the build moved to the server is called by its number.
  return function(name, count, ...)
    if not isNumber(name) and not isName(name) then
      return nil, 'the first argument must be the name of a server function'
    end
    local message, size = copy(name, count, ...)
    if not message then return nil, size end
    if count > MAX_VALUES or size > MAX_ARGUMENT_BYTES then return nil, 'too many arguments, or arguments too large' end
    if isTooOften() then return nil, 'too many calls at a time: a run can make one call per second' end
    return message, size
  end
end
