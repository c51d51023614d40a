-- SHA-512 (FIPS 180-4) for signatures: 64-bit words as pairs of 32-bit halves. It hashes only short texts, so
-- it favors clarity over speed.
--   sha512(text)      64 bytes
local words = ...
local bxor, band = words.bxor, words.band
local byte, char, floor = string.byte, string.char, math.floor

-- The first 64 bits of the fractional parts of 8 primes' square roots and 80 primes' cube roots.
local fractions = '6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f'
  .. '1f83d9abfb41bd6b5be0cd19137e2179428a2f98d728ae227137449123ef65cdb5c0fbcfec4d3b2fe9b5dba58189dbbc'
  .. '3956c25bf348b53859f111f1b605d019923f82a4af194f9bab1c5ed5da6d8118d807aa98a303024212835b0145706fbe'
  .. '243185be4ee4b28c550c7dc3d5ffb4e272be5d74f27b896f80deb1fe3b1696b19bdc06a725c71235c19bf174cf692694'
  .. 'e49b69c19ef14ad2efbe4786384f25e30fc19dc68b8cd5b5240ca1cc77ac9c652de92c6f592b02754a7484aa6ea6e483'
  .. '5cb0a9dcbd41fbd476f988da831153b5983e5152ee66dfaba831c66d2db43210b00327c898fb213fbf597fc7beef0ee4'
  .. 'c6e00bf33da88fc2d5a79147930aa72506ca6351e003826f142929670a0e6e7027b70a8546d22ffc2e1b21385c26c926'
  .. '4d2c6dfc5ac42aed53380d139d95b3df650a73548baf63de766a0abb3c77b2a881c2c92e47edaee692722c851482353b'
  .. 'a2bfe8a14cf10364a81a664bbc423001c24b8b70d0f89791c76c51a30654be30d192e819d6ef5218d69906245565a910'
  .. 'f40e35855771202a106aa07032bbd1b819a4c116b8d2d0c81e376c085141ab532748774cdf8eeb9934b0bcb5e19b48a8'
  .. '391c0cb3c5c95a634ed8aa4ae3418acb5b9cca4f7763e373682e6ff3d6b2b8a3748f82ee5defb2fc78a5636f43172f60'
  .. '84c87814a1f0ab728cc702081a6439ec90befffa23631e28a4506cebde82bde9bef9a3f7b2c67915c67178f2e372532b'
  .. 'ca273eceea26619cd186b8c721c0c207eada7dd6cde0eb1ef57d4f7fee6ed17806f067aa72176fba0a637dc5a2c898a6'
  .. '113f9804bef90dae1b710b35131c471b28db77f523047d8432caab7b40c724933c9ebe0a15c9bebc431d67c49c100d4c'
  .. '4cc5d4becb3e42b6597f299cfc657e2a5fcb6fab3ad6faec6c44198c4a475817'

local highs, lows = {}, {}
for i = 1, 88 do
  local at = i * 16 - 15
  highs[i] = tonumber(fractions:sub(at, at + 7), 16)
  lows[i] = tonumber(fractions:sub(at + 8, at + 15), 16)
end

-- Some hosts' bit libraries return signed results.
local function xor3(a, b, c)
  return bxor(bxor(a, b), c) % 4294967296
end

-- Returns the high half of the pair shifted right by n, 0 < n < 32. Swapping the halves gives the low half.
local function moved(high, low, n)
  local unit = 2 ^ n
  return floor(high / unit) + low % unit * 2 ^ (32 - n)
end

local function shifted(high, n)
  return floor(high / 2 ^ n)
end

local function schedule(text, from)
  local high, low = {}, {}
  for i = 1, 16 do
    local a, b, c, d, e, f, g, h = byte(text, from, from + 7)
    high[i] = a * 16777216 + b * 65536 + c * 256 + d
    low[i] = e * 16777216 + f * 65536 + g * 256 + h
    from = from + 8
  end
  for i = 17, 80 do
    local p, q, u, v = high[i - 15], low[i - 15], high[i - 2], low[i - 2]
    -- To shift by more than 32, shifts the swapped halves by the remainder.
    local h0 = xor3(moved(p, q, 1), moved(p, q, 8), shifted(p, 7))
    local l0 = xor3(moved(q, p, 1), moved(q, p, 8), moved(q, p, 7))
    local h1 = xor3(moved(u, v, 19), moved(v, u, 29), shifted(u, 6))
    local l1 = xor3(moved(v, u, 19), moved(u, v, 29), moved(v, u, 6))
    local sum = low[i - 16] + l0 + low[i - 7] + l1
    low[i] = sum % 4294967296
    high[i] = (high[i - 16] + h0 + high[i - 7] + h1 + floor(sum / 4294967296)) % 4294967296
  end
  return high, low
end

local function compress(state, text, from)
  local wh, wl = schedule(text, from)
  local h, l = {}, {}
  for i = 1, 8 do h[i], l[i] = state[i], state[i + 8] end
  for i = 1, 80 do
    local eh, el, ah, al = h[5], l[5], h[1], l[1]
    local s1h = xor3(moved(eh, el, 14), moved(eh, el, 18), moved(el, eh, 9))
    local s1l = xor3(moved(el, eh, 14), moved(el, eh, 18), moved(eh, el, 9))
    local ch = xor3(h[7], band(eh, bxor(h[6], h[7])), 0)
    local cl = xor3(l[7], band(el, bxor(l[6], l[7])), 0)
    local s0h = xor3(moved(ah, al, 28), moved(al, ah, 2), moved(al, ah, 7))
    local s0l = xor3(moved(al, ah, 28), moved(ah, al, 2), moved(ah, al, 7))
    local mh = xor3(band(ah, h[2]), band(ah, h[3]), band(h[2], h[3]))
    local ml = xor3(band(al, l[2]), band(al, l[3]), band(l[2], l[3]))
    local t1l = l[8] + s1l + cl + lows[i + 8] + wl[i]
    local t1h = h[8] + s1h + ch + highs[i + 8] + wh[i] + floor(t1l / 4294967296)
    t1l, t1h = t1l % 4294967296, t1h % 4294967296
    local dl, t2l = l[4] + t1l, t1l + s0l + ml
    local dh, t2h = h[4] + t1h + floor(dl / 4294967296), t1h + s0h + mh + floor(t2l / 4294967296)
    for n = 8, 2, -1 do h[n], l[n] = h[n - 1], l[n - 1] end
    h[5], l[5] = dh % 4294967296, dl % 4294967296
    h[1], l[1] = t2h % 4294967296, t2l % 4294967296
  end
  for i = 1, 8 do
    local sum = state[i + 8] + l[i]
    state[i + 8] = sum % 4294967296
    state[i] = (state[i] + h[i] + floor(sum / 4294967296)) % 4294967296
  end
end

local function bytesOf(number)
  local out = {}
  for i = 4, 1, -1 do
    out[i] = char(number % 256)
    number = floor(number / 256)
  end
  return table.concat(out)
end

return function(text)
  local state = {}
  for i = 1, 8 do state[i], state[i + 8] = highs[i], lows[i] end
  local padded = text .. '\128' .. ('\0'):rep((111 - #text) % 128 + 12) .. bytesOf(#text * 8)
  for from = 1, #padded, 128 do compress(state, padded, from) end
  local out = {}
  for i = 1, 8 do out[i] = bytesOf(state[i]) .. bytesOf(state[i + 8]) end
  return table.concat(out)
end
