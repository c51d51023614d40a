-- Server function calls made by a script (client protocol, Calls).
--   asks(most)           returns a function that prepares the calls of a run, at most `most` a minute (default 60)
--   (name, count, ...)   that function: returns the call as JSON values and the size of its JSON, or nil and an error
--                        message
local host, json, isUtf8 = ...
local type, select, match, format = type, select, string.match, string.format
local min, max, floor = math.min, math.max, math.floor

-- The server enforces the same limit; checking it here saves round trips. A third of the calls may be made in
-- one burst.
local A_MINUTE, AT_ONCE = 60, 1 / 3
local MAX_VALUES, MAX_NAME_LENGTH, MAX_ARGUMENT_BYTES = 16, 40, 16384

-- Copies the arguments, so that later changes by the script have no effect, and checks that they are not
-- nested too deeply for a heartbeat.
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

return function(most)
  most = most or A_MINUTE
  local burst = max(min(most, 1), floor(most * AT_ONCE))
  local left, counted = burst, host.now()

  local function isTooOften()
    local now = host.now()
    left, counted = min(burst, left + (now - counted) * most / 60), now
    if left < 1 then return true end
    left = left - 1
  end

  -- Code that the build moved to the server is called by number.
  return function(name, count, ...)
    if not isNumber(name) and not isName(name) then
      return nil, 'the first argument must be the name of a server function'
    end
    local message, size = copy(name, count, ...)
    if not message then return nil, size end
    if count > MAX_VALUES or size > MAX_ARGUMENT_BYTES then return nil, 'too many arguments, or arguments too large' end
    if isTooOften() then return nil, 'too many calls at a time: a run can make ' .. format('%d', most) .. ' a minute' end
    return message, size
  end
end
