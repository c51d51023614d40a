-- 32-bit words in plain arithmetic, for hosts without bit operators or a bit library. Adds the functions that
-- crypto-words.lua lacks there.
local words = ...
if words.kind ~= 'plain' then return end

-- A table of all byte pairs: its 65,536 entries take 3 ms to build once and turn an xor into four lookups.
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
