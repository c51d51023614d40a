-- Verification of Ed25519 signatures (RFC 8032 §5.1.7) on the arithmetic of crypto-curve.lua. It handles no secrets,
-- so it does not need to run in constant time.
--   verify(public, message, signature)      32, any and 64 bytes; true or false
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

-- The curve constant, twice the constant, and the square root of -1.
local d = product(negated(small(121665)), invert(small(121666)))
local twice = product(d, small(2))
local root = hexadecimal('b0a00e4a271beec478e42fad0618432fa7d7fb3d99004d2b0bdfc14f8024832b')

-- Uses extended coordinates; the sum is also correct for equal points.
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

-- Decodes a point from 32 bytes; nil if they encode none.
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

-- The order of the group in bytes, lowest first.
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

-- Returns the remainder of a number after division by the order, lowest byte first, computed bit by bit from the top.
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
