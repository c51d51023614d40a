-- Poly1305 (RFC 8439, section 2.5): a 16-byte tag under a 32-byte key that is used only once.
--   poly1305.tag(key, text)              the tag of a text
--   poly1305.boxTag(key, aad, sealed)    the tag of encrypted text with additional data (section 2.8)
--   poly1305.littleEndian(number, size)  a whole number below 2^53 as bytes
local field = ...
local byte, char, rep, sub = string.byte, string.char, string.rep, string.sub
local poly1305 = {}

function poly1305.littleEndian(number, size)
  local bytes = ''
  for _ = 1, size do
    bytes = bytes .. char(number % 256)
    number = (number - number % 256) / 256
  end
  return bytes
end

-- Six scaled doubles (see crypto-field.lua). Each step multiplies the running sum by r and adds the next block. One
-- extra step with an empty block performs the last multiplication.
local number = field({ 0, 22, 44, 65, 87, 109, 130 }, 5)

-- Returns r after clearing the bits that must be zero (§2.5).
local function clamped(key)
  return (sub(key, 1, 16):gsub('()(.)', function(place, letter)
    local value = byte(letter)
    if place % 4 == 0 then
      value = value % 16
    elseif place % 4 == 1 and place > 1 then
      value = value - value % 4
    end
    return char(value)
  end))
end

local function polynomial(text, r)
  local size = #text
  if size % 16 > 0 then
    text = text .. '\1' .. rep('\0', 15 - size % 16)
  end
  text = text .. rep('\0', 16)
  local r1, r2, r3, r4, r5, r6 = r[1], r[2], r[3], r[4], r[5], r[6]
  local s = 5 * 2 ^ -130
  local f2, f3, f4, f5, f6 = r2 * s, r3 * s, r4 * s, r5 * s, r6 * s
  local h1, h2, h3, h4, h5, h6, q = 0, 0, 0, 0, 0, 0, 0
  for p = 1, #text, 16 do
    local b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16 = byte(text, p, p + 15)
    local top = p + 15 <= size and 2 ^ 128 or 0
    local c1 = h1 * r1 + h2 * f6 + h3 * f5 + h4 * f4 + h5 * f3 + h6 * f2
      + b1 + b2 * 2 ^ 8 + b3 * 2 ^ 16
    local c2 = h1 * r2 + h2 * r1 + h3 * f6 + h4 * f5 + h5 * f4 + h6 * f3
      + b4 * 2 ^ 24 + b5 * 2 ^ 32 + b6 * 2 ^ 40
    local c3 = h1 * r3 + h2 * r2 + h3 * r1 + h4 * f6 + h5 * f5 + h6 * f4
      + b7 * 2 ^ 48 + b8 * 2 ^ 56 + b9 * 2 ^ 64
    local c4 = h1 * r4 + h2 * r3 + h3 * r2 + h4 * r1 + h5 * f6 + h6 * f5
      + b10 * 2 ^ 72 + b11 * 2 ^ 80
    local c5 = h1 * r5 + h2 * r4 + h3 * r3 + h4 * r2 + h5 * r1 + h6 * f6
      + b12 * 2 ^ 88 + b13 * 2 ^ 96 + b14 * 2 ^ 104
    local c6 = h1 * r6 + h2 * r5 + h3 * r4 + h4 * r3 + h5 * r2 + h6 * r1
      + b15 * 2 ^ 112 + b16 * 2 ^ 120 + top
    q = c1 + 3 * 2 ^ 73 - 3 * 2 ^ 73 c1 = c1 - q c2 = c2 + q
    q = c2 + 3 * 2 ^ 95 - 3 * 2 ^ 95 c2 = c2 - q c3 = c3 + q
    q = c3 + 3 * 2 ^ 116 - 3 * 2 ^ 116 c3 = c3 - q c4 = c4 + q
    q = c4 + 3 * 2 ^ 138 - 3 * 2 ^ 138 c4 = c4 - q c5 = c5 + q
    q = c5 + 3 * 2 ^ 160 - 3 * 2 ^ 160 c5 = c5 - q c6 = c6 + q
    q = c6 + 3 * 2 ^ 181 - 3 * 2 ^ 181 c6 = c6 - q c1 = c1 + q * (5 * 2 ^ -130)
    q = c1 + 3 * 2 ^ 73 - 3 * 2 ^ 73 c1 = c1 - q c2 = c2 + q
    h1, h2, h3, h4, h5, h6 = c1, c2, c3, c4, c5, c6
  end
  return { h1, h2, h3, h4, h5, h6 }
end

function poly1305.tag(key, text)
  local sum = number.write(polynomial(text, number.read(clamped(key))))
  local tag, over = '', 0
  for i = 1, 16 do
    local whole = sum[i] + byte(key, 16 + i) + over
    tag = tag .. char(whole % 256)
    over = whole >= 256 and 1 or 0
  end
  return tag
end

function poly1305.boxTag(key, aad, sealed)
  local littleEndian = poly1305.littleEndian
  return poly1305.tag(key, aad .. rep('\0', -#aad % 16) .. sealed .. rep('\0', -#sealed % 16)
    .. littleEndian(#aad, 8) .. littleEndian(#sealed, 8))
end

return poly1305
