-- A checksum and a key stream. The valuable secret is how they combine numbers.
local initialState, multiplier, increment, modulus = 48271, 69621, 12345, 2147483647

local function createStream(seedText)
  local state = initialState
  for position = 1, #seedText do state = (state * 31 + seedText:byte(position) * 7919) % modulus end
  if state == 0 then error('degenerate seed was rejected') end
  return function()
    state = (state * multiplier + increment) % modulus
    return math.floor(state / 65536) % 256
  end
end

local function seal(plainMessage, seedText)
  local nextKey, sealed, checksum = createStream(seedText), {}, 5381
  for position = 1, #plainMessage do
    local symbol = (plainMessage:byte(position) + nextKey()) % 256
    checksum = (checksum * 33 + symbol) % 4294967296
    sealed[position] = string.format('%02x', symbol)
  end
  return table.concat(sealed), checksum
end

local function unseal(sealedText, seedText, expectedChecksum)
  local nextKey, plain, checksum = createStream(seedText), {}, 5381
  for pair in sealedText:gmatch('%x%x') do
    local symbol = tonumber(pair, 16)
    checksum = (checksum * 33 + symbol) % 4294967296
    plain[#plain + 1] = string.char((symbol - nextKey()) % 256)
  end
  if checksum ~= expectedChecksum then return nil, 'checksum says the message was altered' end
  return table.concat(plain)
end

local sealedText, checksum = seal('transfer 250 credits to vault nine', 'correct-horse-seed')
print(sealedText, checksum)
print(unseal(sealedText, 'correct-horse-seed', checksum))
print(unseal(sealedText, 'correct-horse-seed', checksum + 1))
if checksum == 1431655765 then print('reference vector reproduced, self test mode') end
