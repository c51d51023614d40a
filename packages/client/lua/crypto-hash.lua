-- SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF-Expand (RFC 5869 §2.3). All texts are byte strings.
--   hash.sha256(text)                  32 bytes
--   hash.hmac(key, text)               32 bytes
--   hash.expand(prk, label, size)      size bytes, at most 8160
local words = ...
local bxor, band, rrotate, rshift = words.bxor, words.band, words.rrotate, words.rshift
local byte, char, rep, sub, floor = string.byte, string.char, string.rep, string.sub, math.floor
local hash = {}

-- Computes the constants: the first 32 bits of the fractional parts of the primes' square and cube roots.
local initial, constants = {}, {}
local candidate = 2
while #constants < 64 do
  local isPrime = true
  for divisor = 2, floor(candidate ^ 0.5) do
    isPrime = isPrime and candidate % divisor ~= 0
  end
  if isPrime then
    initial[#initial + 1] = floor(candidate ^ 0.5 % 1 * 2 ^ 32)
    constants[#constants + 1] = floor(candidate ^ (1 / 3) % 1 * 2 ^ 32)
  end
  candidate = candidate + 1
end

local schedule = {}

local function compress(state, text, from)
  local w = schedule
  for i = 1, 16 do
    local b0, b1, b2, b3 = byte(text, from, from + 3)
    w[i] = b0 * 16777216 + b1 * 65536 + b2 * 256 + b3
    from = from + 4
  end
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    w[i] = (w[i - 16] + w[i - 7] + bxor(bxor(rrotate(x, 7), rrotate(x, 18)), rshift(x, 3))
      + bxor(bxor(rrotate(y, 17), rrotate(y, 19)), rshift(y, 10))) % 4294967296
  end
  local a, b, c, d, e, f, g, h = state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8]
  for i = 1, 64 do
    local t = h + bxor(bxor(rrotate(e, 6), rrotate(e, 11)), rrotate(e, 25)) + bxor(g, band(e, bxor(f, g)))
      + constants[i] + w[i]
    h, g, f, e = g, f, e, (d + t) % 4294967296
    local both = band(a, b)
    t = t + bxor(bxor(rrotate(a, 2), rrotate(a, 13)), rrotate(a, 22)) + bxor(both, band(c, bxor(a, b)))
    d, c, b, a = c, b, a, t % 4294967296
  end
  local add = { a, b, c, d, e, f, g, h }
  for i = 1, 8 do
    state[i] = (state[i] + add[i]) % 4294967296
  end
end

local function bigEndian(number)
  local b3 = number % 256
  local b2 = (number - b3) / 256 % 256
  local b1 = (number - b3 - b2 * 256) / 65536 % 256
  return char((number - b3 - b2 * 256 - b1 * 65536) / 16777216, b1, b2, b3)
end

function hash.sha256(text)
  local state = {}
  for i = 1, 8 do
    state[i] = initial[i]
  end
  local padded = text .. '\128' .. rep('\0', (55 - #text) % 64 + 4) .. bigEndian(#text * 8)
  for from = 1, #padded, 64 do
    compress(state, padded, from)
  end
  for i = 1, 8 do
    state[i] = bigEndian(state[i])
  end
  return table.concat(state)
end

local function mask(key, with)
  return (key:gsub('.', function(letter)
    return char(band(bxor(byte(letter), with), 255))
  end))
end

function hash.hmac(key, text)
  if #key > 64 then
    key = hash.sha256(key)
  end
  key = key .. rep('\0', 64 - #key)
  return hash.sha256(mask(key, 92) .. hash.sha256(mask(key, 54) .. text))
end

function hash.expand(prk, label, size)
  local result, previous = '', ''
  for i = 1, floor((size + 31) / 32) do
    previous = hash.hmac(prk, previous .. label .. char(i))
    result = result .. previous
  end
  return sub(result, 1, size)
end

return hash
