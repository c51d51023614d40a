-- X25519 (RFC 7748 §5) on 12 scaled doubles per number, unrolled because plain Lua 5.1 has nothing faster: one scalar
-- multiplication takes 3 to 4 ms there. Sums of two products stay below 53 bits, so every step is exact.
--   curve.x25519(secret, point)      32-byte strings; the secret is clamped here; nil when the result is all zero
--   curve.base                       the base point 9
--   curve.number multiply invert …   the arithmetic, for crypto-ed25519.lua
local field = ...
local byte, char, unpack = string.byte, string.char, table.unpack or unpack
local number = field({ 0, 22, 43, 64, 85, 107, 128, 149, 170, 192, 213, 234, 255 }, 19)
local curve = { base = '\9' .. ('\0'):rep(31) }

-- Writes twelve sums into r and carries them: adding and subtracting 1.5 * 2^(52 + w) rounds to a multiple of 2^w.
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

-- r = a * b. Limbs from 13 up wrap around to the bottom, through f = b * 19 / 2^255.
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

-- Returns a^(2^count) * b.
local function raise(a, count, b)
  local r = {}
  multiply(r, a, a)
  for _ = 2, count do
    multiply(r, r, r)
  end
  multiply(r, r, b)
  return r
end

-- Returns z^(2^250 - 1) and z^11, which are used to compute inverses and square roots.
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

-- Returns z^(2^255 - 21), the inverse by Fermat's little theorem: 254 squarings and 11 products.
local function invert(z)
  local high, z11 = powers(z)
  return raise(high, 5, z11)
end

-- Returns the bits of the clamped secret, highest first. Bit 255 is cleared and bit 254 set, so 255 remain.
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
