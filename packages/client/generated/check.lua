-- Checks keys from Lua 5.1 to 5.4 and LuaJIT; how to use it is in docs/checking-keys.md.
-- Made by `npm run generate` from the files in packages/client/lua.
local words=(function(...)
local function known(read)
local ok, value = pcall(read)
return ok and value or nil
end
local compile = known(function() return loadstring end) or known(function() return load end)
local words = { kind = 'plain', compile = compile, known = known }
local bit = known(function() return bit end)
local native = compile and compile('return function(a,b)return(a~b)&4294967295 end,'
.. 'function(a,b)return a&b&4294967295 end,'
.. 'function(a,n)a=a&4294967295 return(a>>n|a<<(32-n))&4294967295 end,'
.. 'function(a,n)return(a&4294967295)>>n end')
if native then
words.kind = 'operators'
words.bxor, words.band, words.rrotate, words.rshift = native()
elseif known(function() return bit32 end) then
words.kind = 'bit32'
words.bxor, words.band, words.rrotate, words.rshift = bit32.bxor, bit32.band, bit32.rrotate, bit32.rshift
elseif bit and bit.ror then
words.kind = 'bit'
words.bxor, words.band, words.rrotate, words.rshift = bit.bxor, bit.band, bit.ror, bit.rshift
end
function words.parse(text)
local list = {}
for i = 1, #text, 4 do
local a, b, c, d = text:byte(i, i + 3)
list[#list + 1] = a + b * 256 + c * 65536 + d * 16777216
end
return list
end
return words
end)()
local arithmetic=(function(...)
local words = ...
if words.kind ~= 'plain' then return end
local bytes = { [0] = 0 }
for size = 0, 7 do
local top = 2 ^ size
for a = 0, top - 1 do
for b = 0, top - 1 do
local low = bytes[a * 256 + b]
bytes[(a + top) * 256 + b] = low + top
bytes[a * 256 + b + top] = low + top
bytes[(a + top) * 256 + b + top] = low
end
end
end
local function bxor(a, b)
local a0, b0 = a % 65536, b % 65536
local a2, b2 = (a % 4294967296 - a0) / 65536, (b % 4294967296 - b0) / 65536
local x, y, u, v = a0 % 256, b0 % 256, a2 % 256, b2 % 256
return bytes[x * 256 + y] + bytes[a0 - x + (b0 - y) / 256] * 256
+ bytes[u * 256 + v] * 65536 + bytes[a2 - u + (b2 - v) / 256] * 16777216
end
words.bytes, words.bxor = bytes, bxor
function words.band(a, b)
a, b = a % 4294967296, b % 4294967296
return (a + b - bxor(a, b)) / 2
end
function words.rshift(a, n)
a = a % 4294967296
return (a - a % 2 ^ n) / 2 ^ n
end
function words.rrotate(a, n)
a = a % 4294967296
local low = a % 2 ^ n
return (a - low) / 2 ^ n + low * 2 ^ (32 - n)
end
end)(words)
local hash=(function(...)
local words = ...
local bxor, band, rrotate, rshift = words.bxor, words.band, words.rrotate, words.rshift
local byte, char, rep, sub, floor = string.byte, string.char, string.rep, string.sub, math.floor
local hash = {}
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
end)(words)
local sha512=(function(...)
local words = ...
local bxor, band = words.bxor, words.band
local byte, char, floor = string.byte, string.char, math.floor
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
local function xor3(a, b, c)
return bxor(bxor(a, b), c) % 4294967296
end
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
end)(words)
local field=(function(...)
return function(offsets, fold)
local count, bounds = #offsets - 1, {}
for i = 1, count + 1 do
bounds[i] = 2 ^ offsets[i]
end
local function carry(limbs)
local over = 0
for i = 1, count do
local whole = limbs[i] + over
limbs[i] = whole % bounds[i + 1]
over = whole - limbs[i]
end
return over
end
local function settle(limbs)
local over = carry(limbs)
limbs[1] = limbs[1] + over * fold / bounds[count + 1]
end
local function read(text)
local limbs, limb = {}, 1
for i = 1, count do
limbs[i] = 0
end
for i = 1, #text do
while limb < count and offsets[limb + 1] <= 8 * i - 8 do
limb = limb + 1
end
limbs[limb] = limbs[limb] + text:byte(i) * 2 ^ (8 * i - 8)
end
settle(limbs)
return limbs
end
local function write(limbs)
for _ = 1, 3 do
settle(limbs)
end
local reduced = {}
for i = 1, count do
reduced[i] = limbs[i]
end
reduced[1] = reduced[1] + fold
if carry(reduced) == 0 then
reduced = limbs
end
local bytes, bits, pending = {}, 0, 0
for i = 1, count do
pending = pending + reduced[i] / bounds[i] * 2 ^ bits
bits = bits + offsets[i + 1] - offsets[i]
while bits >= 8 or (i == count and bits > 0) do
local low = pending % 256
bytes[#bytes + 1] = low
pending, bits = (pending - low) / 256, bits - 8
end
end
return bytes
end
return { read = read, write = write }
end
end)()
local curve=(function(...)
local field = ...
local byte, char, unpack = string.byte, string.char, table.unpack or unpack
local number = field({ 0, 22, 43, 64, 85, 107, 128, 149, 170, 192, 213, 234, 255 }, 19)
local curve = { base = '\9' .. ('\0'):rep(31) }
local function settle(r, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12)
local q
q = c1 + 3 * 2 ^ 73 - 3 * 2 ^ 73 c1 = c1 - q c2 = c2 + q
q = c2 + 3 * 2 ^ 94 - 3 * 2 ^ 94 c2 = c2 - q c3 = c3 + q
q = c3 + 3 * 2 ^ 115 - 3 * 2 ^ 115 c3 = c3 - q c4 = c4 + q
q = c4 + 3 * 2 ^ 136 - 3 * 2 ^ 136 c4 = c4 - q c5 = c5 + q
q = c5 + 3 * 2 ^ 158 - 3 * 2 ^ 158 c5 = c5 - q c6 = c6 + q
q = c6 + 3 * 2 ^ 179 - 3 * 2 ^ 179 c6 = c6 - q c7 = c7 + q
q = c7 + 3 * 2 ^ 200 - 3 * 2 ^ 200 c7 = c7 - q c8 = c8 + q
q = c8 + 3 * 2 ^ 221 - 3 * 2 ^ 221 c8 = c8 - q c9 = c9 + q
q = c9 + 3 * 2 ^ 243 - 3 * 2 ^ 243 c9 = c9 - q c10 = c10 + q
q = c10 + 3 * 2 ^ 264 - 3 * 2 ^ 264 c10 = c10 - q c11 = c11 + q
q = c11 + 3 * 2 ^ 285 - 3 * 2 ^ 285 c11 = c11 - q c12 = c12 + q
q = c12 + 3 * 2 ^ 306 - 3 * 2 ^ 306 c12 = c12 - q c1 = c1 + q * (19 * 2 ^ -255)
q = c1 + 3 * 2 ^ 73 - 3 * 2 ^ 73 c1 = c1 - q c2 = c2 + q
r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12] =
c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12
end
local function multiply(r, a, b)
local a1, a2, a3, a4, a5, a6 = a[1], a[2], a[3], a[4], a[5], a[6]
local a7, a8, a9, a10, a11, a12 = a[7], a[8], a[9], a[10], a[11], a[12]
local b1, b2, b3, b4, b5, b6 = b[1], b[2], b[3], b[4], b[5], b[6]
local b7, b8, b9, b10, b11, b12 = b[7], b[8], b[9], b[10], b[11], b[12]
local s = 19 * 2 ^ -255
local f2, f3, f4, f5, f6, f7 = b2 * s, b3 * s, b4 * s, b5 * s, b6 * s, b7 * s
local f8, f9, f10, f11, f12 = b8 * s, b9 * s, b10 * s, b11 * s, b12 * s
settle(r,
a1*b1 + a2*f12 + a3*f11 + a4*f10 + a5*f9 + a6*f8 + a7*f7 + a8*f6 + a9*f5 + a10*f4 + a11*f3 + a12*f2,
a1*b2 + a2*b1 + a3*f12 + a4*f11 + a5*f10 + a6*f9 + a7*f8 + a8*f7 + a9*f6 + a10*f5 + a11*f4 + a12*f3,
a1*b3 + a2*b2 + a3*b1 + a4*f12 + a5*f11 + a6*f10 + a7*f9 + a8*f8 + a9*f7 + a10*f6 + a11*f5 + a12*f4,
a1*b4 + a2*b3 + a3*b2 + a4*b1 + a5*f12 + a6*f11 + a7*f10 + a8*f9 + a9*f8 + a10*f7 + a11*f6 + a12*f5,
a1*b5 + a2*b4 + a3*b3 + a4*b2 + a5*b1 + a6*f12 + a7*f11 + a8*f10 + a9*f9 + a10*f8 + a11*f7 + a12*f6,
a1*b6 + a2*b5 + a3*b4 + a4*b3 + a5*b2 + a6*b1 + a7*f12 + a8*f11 + a9*f10 + a10*f9 + a11*f8 + a12*f7,
a1*b7 + a2*b6 + a3*b5 + a4*b4 + a5*b3 + a6*b2 + a7*b1 + a8*f12 + a9*f11 + a10*f10 + a11*f9 + a12*f8,
a1*b8 + a2*b7 + a3*b6 + a4*b5 + a5*b4 + a6*b3 + a7*b2 + a8*b1 + a9*f12 + a10*f11 + a11*f10 + a12*f9,
a1*b9 + a2*b8 + a3*b7 + a4*b6 + a5*b5 + a6*b4 + a7*b3 + a8*b2 + a9*b1 + a10*f12 + a11*f11 + a12*f10,
a1*b10 + a2*b9 + a3*b8 + a4*b7 + a5*b6 + a6*b5 + a7*b4 + a8*b3 + a9*b2 + a10*b1 + a11*f12 + a12*f11,
a1*b11 + a2*b10 + a3*b9 + a4*b8 + a5*b7 + a6*b6 + a7*b5 + a8*b4 + a9*b3 + a10*b2 + a11*b1 + a12*f12,
a1*b12 + a2*b11 + a3*b10 + a4*b9 + a5*b8 + a6*b7 + a7*b6 + a8*b5 + a9*b4 + a10*b3 + a11*b2 + a12*b1)
end
local function sumAndDifference(sum, difference, a, b)
for i = 1, 12 do
local x, y = a[i], b[i]
sum[i], difference[i] = x + y, x - y
end
end
local function raise(a, count, b)
local r = {}
multiply(r, a, a)
for _ = 2, count do
multiply(r, r, r)
end
multiply(r, r, b)
return r
end
local function powers(z)
local z2, z11 = {}, {}
multiply(z2, z, z)
local z9 = raise(z2, 2, z)
multiply(z11, z9, z2)
local p5 = raise(z11, 1, z9)
local p10 = raise(p5, 5, p5)
local p20 = raise(p10, 10, p10)
local p50 = raise(raise(p20, 20, p20), 10, p10)
local p100 = raise(p50, 50, p50)
return raise(raise(p100, 100, p100), 50, p50), z11
end
local function invert(z)
local high, z11 = powers(z)
return raise(high, 5, z11)
end
local function ladderBits(secret)
local bits = {}
for i = 32, 1, -1 do
local letter = byte(secret, i)
for weight = 7, 0, -1 do
bits[#bits + 1] = letter % 2 ^ (weight + 1) >= 2 ^ weight
end
end
bits[2], bits[254], bits[255], bits[256] = true, false, false, false
return bits
end
function curve.x25519(secret, point)
local text = point:sub(1, 31) .. char(byte(point, 32) % 128)
local x1, x3 = number.read(text), number.read(text)
local x2, z2 = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
local z3 = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
local a, b, c, d, e, aa, bb, da, cb, unused = {}, {}, {}, {}, {}, {}, {}, {}, {}, {}
local bits, swapped = ladderBits(secret), false
for i = 2, 256 do
if bits[i] ~= swapped then
x2, x3, z2, z3, swapped = x3, x2, z3, z2, bits[i]
end
sumAndDifference(a, b, x2, z2)
sumAndDifference(c, d, x3, z3)
multiply(aa, a, a)
multiply(bb, b, b)
sumAndDifference(unused, e, aa, bb)
multiply(da, d, a)
multiply(cb, c, b)
sumAndDifference(a, b, da, cb)
multiply(x3, a, a)
multiply(z3, b, b)
multiply(z3, z3, x1)
multiply(x2, aa, bb)
settle(z2, aa[1] + 121665 * e[1], aa[2] + 121665 * e[2], aa[3] + 121665 * e[3], aa[4] + 121665 * e[4],
aa[5] + 121665 * e[5], aa[6] + 121665 * e[6], aa[7] + 121665 * e[7], aa[8] + 121665 * e[8],
aa[9] + 121665 * e[9], aa[10] + 121665 * e[10], aa[11] + 121665 * e[11], aa[12] + 121665 * e[12])
multiply(z2, z2, e)
end
if swapped then
x2, z2 = x3, z3
end
multiply(x2, x2, invert(z2))
local shared = char(unpack(number.write(x2)))
return shared ~= ('\0'):rep(32) and shared or nil
end
curve.number, curve.multiply, curve.raise, curve.powers = number, multiply, raise, powers
curve.invert, curve.sumAndDifference = invert, sumAndDifference
return curve
end)(field)
local verify=(function(...)
local curve, sha512 = ...
local number, multiply, raise, powers = curve.number, curve.multiply, curve.raise, curve.powers
local invert, spread = curve.invert, curve.sumAndDifference
local byte, char, floor, unpack = string.byte, string.char, math.floor, table.unpack or unpack
local function small(value)
return { value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
end
local one = small(1)
local function product(a, b)
local r = {}
multiply(r, a, b)
return r
end
local function negated(a)
local r = {}
for i = 1, 12 do r[i] = -a[i] end
return product(r, one)
end
local function bytesOf(a)
return char(unpack(number.write(product(a, one))))
end
local function isOdd(a)
return byte(bytesOf(a), 1) % 2 == 1
end
local function hexadecimal(text)
return number.read((text:gsub('..', function(two) return char(tonumber(two, 16)) end)))
end
local d = product(negated(small(121665)), invert(small(121666)))
local twice = product(d, small(2))
local root = hexadecimal('b0a00e4a271beec478e42fad0618432fa7d7fb3d99004d2b0bdfc14f8024832b')
local function add(p, q)
local s1, d1, s2, d2, e, f, g, h = {}, {}, {}, {}, {}, {}, {}, {}
spread(s1, d1, p.y, p.x)
spread(s2, d2, q.y, q.x)
spread(h, e, product(s1, s2), product(d1, d2))
local c, z = product(product(p.t, q.t), twice), {}
for i = 1, 12 do z[i] = 2 * q.z[i] end
spread(g, f, product(p.z, z), c)
return { x = product(e, f), y = product(g, h), z = product(f, g), t = product(e, h) }
end
local function decode(text)
local sign = byte(text, 32) >= 128
local y = number.read(text:sub(1, 31) .. char(byte(text, 32) % 128))
local square, u, v, unused = product(y, y), {}, {}, {}
spread(unused, u, square, one)
spread(v, unused, product(square, d), one)
u, v = product(u, one), product(v, one)
local v3 = product(product(v, v), v)
local power = product(u, product(product(v3, v3), v))
local x = product(product(u, v3), raise((powers(power)), 2, power))
local found = bytesOf(product(v, product(x, x)))
if found ~= bytesOf(u) then
if found ~= bytesOf(negated(u)) then return nil end
x = product(x, root)
end
if isOdd(x) ~= sign then x = negated(x) end
return { x = x, y = y, z = one, t = product(x, y) }
end
local function encode(p)
local inverse = invert(p.z)
local text = bytesOf(product(p.y, inverse))
local last = byte(text, 32) + (isOdd(product(p.x, inverse)) and 128 or 0)
return text:sub(1, 31) .. char(last)
end
local order = {}
for two in ('edd3f55c1a631258d69cf7a2def9de14000000000000000000000000000000' .. '10'):gmatch('..') do
order[#order + 1] = tonumber(two, 16)
end
local function isBelowOrder(digits)
for i = 32, 1, -1 do
if digits[i] ~= order[i] then return digits[i] < order[i] end
end
return false
end
local function reduce(text)
local rest = {}
for i = 1, 33 do rest[i] = 0 end
for i = #text, 1, -1 do
for weight = 7, 0, -1 do
local carry = floor(byte(text, i) / 2 ^ weight) % 2
for n = 1, 32 do
local value = 2 * rest[n] + carry
carry = value >= 256 and 1 or 0
rest[n] = value - carry * 256
end
if not isBelowOrder(rest) then
local borrow = 0
for n = 1, 32 do
local value = rest[n] - order[n] - borrow
borrow = value < 0 and 1 or 0
rest[n] = value + borrow * 256
end
end
end
end
return rest
end
local function hasBit(digits, place)
return floor(digits[floor(place / 8) + 1] / 2 ^ (place % 8)) % 2 == 1
end
local base = decode('X' .. ('f'):rep(31))
return function(public, message, signature)
if #public ~= 32 or #signature ~= 64 then return false end
local scalar = { byte(signature, 33, 64) }
local point = decode(public)
if not point or not isBelowOrder(scalar) then return false end
local start = signature:sub(1, 32)
local digest = reduce(sha512(start .. public .. message))
local minus = { x = negated(point.x), y = point.y, z = point.z, t = negated(point.t) }
local both = add(base, minus)
local sum = { x = small(0), y = one, z = one, t = small(0) }
for place = 252, 0, -1 do
sum = add(sum, sum)
local s, k = hasBit(scalar, place), hasBit(digest, place)
if s or k then sum = add(sum, s and k and both or s and base or minus) end
end
return encode(sum) == start
end
end)(curve,sha512)
local base64=(function(...)
local byte, char, sub = string.byte, string.char, string.sub
local base64 = {}
local LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
local first, second, secondLow, third, thirdLow, fourth = {}, {}, {}, {}, {}, {}
for value = 0, 63 do
local letter = byte(LETTERS, value + 1)
first[letter] = value * 4
second[letter] = (value - value % 16) / 16
secondLow[letter] = value % 16 * 16
third[letter] = (value - value % 4) / 4
thirdLow[letter] = value % 4 * 64
fourth[letter] = value
end
function base64.encode(bytes)
local out = {}
for i = 1, #bytes, 3 do
local x, y, z = byte(bytes, i, i + 2)
local low, middle = x % 4, (y or 0) % 16
local a, b = (x - low) / 4 + 1, low * 16 + ((y or 0) - middle) / 16 + 1
out[#out + 1] = sub(LETTERS, a, a) .. sub(LETTERS, b, b)
if y then
local last = (z or 0) % 64
local c = middle * 4 + ((z or 0) - last) / 64 + 1
out[#out + 1] = sub(LETTERS, c, c) .. (z and sub(LETTERS, last + 1, last + 1) or '')
end
end
return table.concat(out)
end
function base64.decode(text)
local rest = #text % 4
if rest == 1 or text:find('[^A-Za-z0-9_-]') then
return nil
end
local out, n = {}, 0
for i = 1, #text - rest, 4 do
local a, b, c, d = byte(text, i, i + 3)
n = n + 1
out[n] = char(first[a] + second[b], secondLow[b] + third[c], thirdLow[c] + fourth[d])
end
if rest > 0 then
local a, b, c = byte(text, #text - rest + 1, #text)
local stray = c and thirdLow[c] or secondLow[b]
if stray ~= 0 then
return nil
end
out[n + 1] = char(first[a] + second[b]) .. (c and char(secondLow[b] + third[c]) or '')
end
return table.concat(out)
end
return base64
end)()
local json=(function(...)
local json = { null = setmetatable({}, { __tostring = function() return 'null' end }) }
local byte, char, find, format, sub = string.byte, string.char, string.find, string.format, string.sub
local DEPTH = 32
local LIST = {}
local point = format('%.1f', 0.5):match('0(.+)5')
local pointPattern = point:gsub('%p', '%%%0')
local SHORT = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }
local ESCAPED = {}
for letter, control in pairs(SHORT) do
ESCAPED[control] = '\\' .. letter
end
ESCAPED['/'] = nil
local function escape(letter)
return ESCAPED[letter] or format('\\u%04x', byte(letter))
end
local function quoted(text)
return '"' .. text:gsub('[%z\1-\31"\\]', escape) .. '"'
end
local function encodeNumber(number)
if number ~= number or number == math.huge or number == -math.huge then
error('a number must be finite', 0)
end
if number % 1 == 0 and number <= 2 ^ 53 and number >= -2 ^ 53 then
return format('%.0f', number)
end
if math.type and math.type(number) == 'integer' then
return '"' .. format('%d', number) .. '"'
end
if number % 1 == 0 and number < 2 ^ 63 and number > -2 ^ 63 then
return '"' .. format('%.0f', number) .. '"'
end
local text = format('%.14g', number)
if tonumber(text) ~= number then
text = format('%.17g', number)
end
return (text:gsub(pointPattern, '.'))
end
local encodeValue
local function encodeList(list, count, depth)
local parts = {}
for i = 1, count do
if list[i] == nil then
error('a list must have no gaps', 0)
end
parts[i] = encodeValue(list[i], depth)
end
return '[' .. table.concat(parts, ',') .. ']'
end
local function encodeTable(value, depth)
if depth > DEPTH then
error('must not nest deeper than ' .. DEPTH .. ' levels', 0)
end
local count, names, parts = 0, 0, {}
for name, member in pairs(value) do
if type(name) == 'string' then
names = names + 1
parts[names] = quoted(name) .. ':' .. encodeValue(member, depth)
elseif type(name) == 'number' then
count = count + 1
else
error('a member must be named by a string', 0)
end
end
if count > 0 and names > 0 then
error('a table must be a list or have names, not both', 0)
end
if count > 0 or (names == 0 and getmetatable(value) == LIST) then
return encodeList(value, count, depth)
end
return '{' .. table.concat(parts, ',') .. '}'
end
function encodeValue(value, depth)
local kind = type(value)
if kind == 'string' then
return quoted(value)
elseif kind == 'number' then
return encodeNumber(value)
elseif kind == 'boolean' then
return tostring(value)
elseif value == json.null then
return 'null'
elseif kind == 'table' then
return encodeTable(value, depth + 1)
end
error('a ' .. kind .. ' cannot be sent', 0)
end
function json.encode(value)
local ok, text = pcall(encodeValue, value, 0)
if ok then
return text
end
return nil, 'JSON: ' .. tostring(text)
end
local function fail(expected, place)
error('expected ' .. expected .. ' at byte ' .. place, 0)
end
local function skip(text, place)
return (find(text, '[^ \t\r\n]', place)) or #text + 1
end
local function utf8(code)
if code < 128 then
return char(code)
end
local low = code % 64
local rest = (code - low) / 64
if code < 2048 then
return char(192 + rest, 128 + low)
end
local middle = rest % 64
rest = (rest - middle) / 64
if code < 65536 then
return char(224 + rest, 128 + middle, 128 + low)
end
local high = rest % 64
return char(240 + (rest - high) / 64, 128 + high, 128 + middle, 128 + low)
end
local function codeAt(text, place)
local digits = text:match('^\\u(%x%x%x%x)', place)
return digits and tonumber(digits, 16)
end
local function decodeEscape(text, place)
local short = SHORT[sub(text, place + 1, place + 1)]
if short then
return short, place + 2
end
local code = codeAt(text, place) or fail('an escape', place)
if code < 55296 or code > 57343 then
return utf8(code), place + 6
end
local low = code < 56320 and codeAt(text, place + 6)
if not low or low < 56320 or low > 57343 then
fail('a pair of surrogates', place)
end
return utf8((code - 55296) * 1024 + low - 56320 + 65536), place + 12
end
local function decodeText(text, place)
local parts, from = {}, place + 1
while true do
local stop = find(text, '[%z\1-\31"\\]', from)
local letter = stop and sub(text, stop, stop)
if letter ~= '"' and letter ~= '\\' then
fail('the end of a string', stop or #text + 1)
end
parts[#parts + 1] = sub(text, from, stop - 1)
if letter == '"' then
return table.concat(parts), stop + 1
end
parts[#parts + 1], from = decodeEscape(text, stop)
end
end
local function decodeNumber(text, place)
local whole = text:match('^-?0', place) or text:match('^-?[1-9][0-9]*', place)
if not whole then
fail('a value', place)
end
local after = place + #whole
local fraction = text:match('^%.[0-9]+', after) or ''
after = after + #fraction
local power = text:match('^[eE][+-]?[0-9]+', after) or ''
return tonumber(whole .. fraction:gsub('%.', (point:gsub('%%', '%%%%'))) .. power), after + #power
end
local decodeValue
local function decodeList(text, place, depth)
local list, count = {}, 0
place = skip(text, place + 1)
if sub(text, place, place) == ']' then
return setmetatable(list, LIST), place + 1
end
while true do
count = count + 1
list[count], place = decodeValue(text, place, depth)
local letter = sub(text, place, place)
if letter == ']' then
return list, place + 1
elseif letter ~= ',' then
fail("',' or ']'", place)
end
place = skip(text, place + 1)
end
end
local function decodeObject(text, place, depth)
local object = {}
place = skip(text, place + 1)
if sub(text, place, place) == '}' then
return object, place + 1
end
while true do
if sub(text, place, place) ~= '"' then
fail('a name', place)
end
local name, value
name, place = decodeText(text, place)
place = skip(text, place)
if sub(text, place, place) ~= ':' then
fail("':'", place)
end
value, place = decodeValue(text, skip(text, place + 1), depth)
if value == json.null then
value = nil
end
object[name] = value
local letter = sub(text, place, place)
if letter == '}' then
return object, place + 1
elseif letter ~= ',' then
fail("',' or '}'", place)
end
place = skip(text, place + 1)
end
end
local function decodeWord(text, place)
local word = text:match('^[a-z]+', place)
if word == 'true' or word == 'false' then
return word == 'true', place + #word
elseif word == 'null' then
return json.null, place + 4
end
return decodeNumber(text, place)
end
function decodeValue(text, place, depth)
local letter, value = sub(text, place, place), nil
if letter == '"' then
value, place = decodeText(text, place)
elseif letter == '{' or letter == '[' then
if depth == DEPTH then
fail('at most ' .. DEPTH .. ' levels', place)
end
value, place = (letter == '{' and decodeObject or decodeList)(text, place, depth + 1)
else
value, place = decodeWord(text, place)
end
return value, skip(text, place)
end
function json.decode(text)
local ok, value, place = pcall(decodeValue, text, skip(text, 1), 0)
if ok and place <= #text then
return nil, 'JSON: expected the end at byte ' .. place
elseif ok then
return value
end
return nil, 'JSON: ' .. tostring(value)
end
return json
end)()
local check=(function(...)
local hash, verify, base64, json = ...
local check = {}
local concat = table.concat
local function nonce()
local parts = { tostring({}), tostring(os.time()), tostring(os.clock()), tostring(math.random()) }
local ok, file = pcall(io.open, '/dev/urandom', 'rb')
if ok and file then
parts[#parts + 1] = file:read(32)
file:close()
end
return base64.encode(hash.sha256(concat(parts, '\0')):sub(1, 24))
end
function check.question(asked)
local question = {
project_id = asked.project_id,
key = asked.key,
fingerprint = asked.fingerprint,
claim = asked.claim == true,
nonce = asked.nonce or nonce(),
}
return assert(json.encode(question)), question
end
local function isSigned(text, signature, keys)
local encoded = type(signature) == 'string' and signature:match('^ed25519=([%w_-]+)$')
local bytes = encoded and base64.decode(encoded)
for i = 1, bytes and #keys or 0 do
local public = base64.decode(keys[i])
if public and verify(public, 'lp1 check\0' .. text, bytes) then return true end
end
return false
end
function check.open(question, text, signature, keys)
if not isSigned(text, signature, keys) then return nil, 'the answer is not signed by a known key' end
local answer = json.decode(text)
local parts = { 'lp1 asked', question.project_id, question.key, question.fingerprint or '', question.nonce }
local asked = base64.encode(hash.sha256(concat(parts, '\0')))
if type(answer) ~= 'table' or answer.nonce ~= question.nonce or answer.asked ~= asked then
return nil, 'the answer is one to another question'
end
return answer
end
function check.component(project_id, value)
return base64.encode(hash.sha256(concat({ 'lp1 fp', project_id, 'machine_id', value }, '\0')):sub(1, 16))
end
return check
end)(hash,verify,base64,json)
return check
