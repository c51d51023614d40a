-- SHA-256 with bit operations implemented in arithmetic, so that it runs everywhere.
local floor = math.floor
local function xor(a, b)
  local r, p = 0, 1
  for _ = 1, 8 do
    local x, y = a % 16, b % 16
    local bits = 0
    local q = 1
    for _ = 1, 4 do
      local i, j = x % 2, y % 2
      if i ~= j then bits = bits + q end
      x, y, q = (x - i) / 2, (y - j) / 2, q * 2
    end
    r = r + bits * p
    a, b, p = floor(a / 16), floor(b / 16), p * 16
  end
  return r
end
local nibble = {}
for a = 0, 15 do
  nibble[a] = {}
  for b = 0, 15 do
    local r, p, x, y = 0, 1, a, b
    for _ = 1, 4 do
      if x % 2 == 1 and y % 2 == 1 then r = r + p end
      x, y, p = floor(x / 2), floor(y / 2), p * 2
    end
    nibble[a][b] = r
  end
end
local function band(a, b)
  local r, p = 0, 1
  for _ = 1, 8 do
    r = r + nibble[a % 16][b % 16] * p
    a, b, p = floor(a / 16), floor(b / 16), p * 16
  end
  return r
end
local function rotr(x, n)
  local low = x % 2 ^ n
  return (x - low) / 2 ^ n + low * 2 ^ (32 - n)
end
local function shr(x, n) return floor(x / 2 ^ n) end
local primes, candidate = {}, 2
while #primes < 64 do
  local isPrime = true
  for i = 1, #primes do if candidate % primes[i] == 0 then isPrime = false; break end end
  if isPrime then primes[#primes + 1] = candidate end
  candidate = candidate + 1
end
local K, H0 = {}, {}
local function root(p, e) local x = p ^ e; return floor((x - floor(x)) * 4294967296) end
for i = 1, 64 do K[i] = root(primes[i], 1 / 3) end
for i = 1, 8 do H0[i] = root(primes[i], 1 / 2) end
local function sha256(message)
  local length = #message
  message = message .. '\128' .. ('\0'):rep((55 - length) % 64)
  local bits = length * 8
  message = message .. string.char(0, 0, 0, 0, floor(bits / 16777216) % 256, floor(bits / 65536) % 256, floor(bits / 256) % 256, bits % 256)
  local h = { H0[1], H0[2], H0[3], H0[4], H0[5], H0[6], H0[7], H0[8] }
  for chunk = 1, #message, 64 do
    local w = {}
    for i = 1, 16 do
      local a, b, c, d = message:byte(chunk + i * 4 - 4, chunk + i * 4 - 1)
      w[i] = ((a * 256 + b) * 256 + c) * 256 + d
    end
    for i = 17, 64 do
      local s0 = xor(xor(rotr(w[i - 15], 7), rotr(w[i - 15], 18)), shr(w[i - 15], 3))
      local s1 = xor(xor(rotr(w[i - 2], 17), rotr(w[i - 2], 19)), shr(w[i - 2], 10))
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) % 4294967296
    end
    local a, b, c, d, e, f, g, hh = h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
    for i = 1, 64 do
      local s1 = xor(xor(rotr(e, 6), rotr(e, 11)), rotr(e, 25))
      local ch = xor(band(e, f), band(4294967295 - e, g))
      local t1 = (hh + s1 + ch + K[i] + w[i]) % 4294967296
      local s0 = xor(xor(rotr(a, 2), rotr(a, 13)), rotr(a, 22))
      local maj = xor(xor(band(a, b), band(a, c)), band(b, c))
      hh, g, f, e, d, c, b, a = g, f, e, (d + t1) % 4294967296, c, b, a, (t1 + s0 + maj) % 4294967296
    end
    local out = { a, b, c, d, e, f, g, hh }
    for i = 1, 8 do h[i] = (h[i] + out[i]) % 4294967296 end
  end
  local hex = {}
  for i = 1, 8 do hex[i] = string.format('%04x%04x', floor(h[i] / 65536), h[i] % 65536) end
  return table.concat(hex)
end
print(sha256('abc'))
print(sha256(('The quick brown fox jumps over the lazy dog. '):rep(40)))
