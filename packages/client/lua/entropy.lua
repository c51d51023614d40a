-- Collects values that are hard to predict, as input for a hash. Lua has no secure generator, so the server's
-- seed is always included, and every session key also depends on the server's nonce.

local host = ...
local tostring, type, concat = tostring, type, table.concat
local try = host.try

local function systemBytes()
  local file = try(host.io.open, '/dev/urandom', 'rb')
  if not file then return nil end
  local bytes = try(file.read, file, 32)
  try(file.close, file)
  return bytes
end

local function platformBytes()
  local bytes = try(host.randomBytes, 32)
  local guid = try(function() return host.platform('HttpService'):GenerateGUID(false) end)
  if bytes or guid then return tostring(bytes) .. tostring(guid) end
end

-- Uses the host's own generator only if nothing better exists, because a script may rely on its sequence.
local function hostNumbers()
  local numbers = {}
  for i = 1, 8 do numbers[i] = tostring(math.random()) end
  return concat(numbers, ' ')
end

return function(seed)
  local parts = {
    tostring({}),
    tostring(function() return seed end),
    tostring(try(host.os.time)),
    tostring(try(host.os.clock)),
    tostring(try(collectgarbage, 'count')),
    systemBytes() or platformBytes() or try(hostNumbers) or '',
    seed,
  }
  return concat(parts, '\0')
end
