-- LZ4 block format, decoding only. Fails closed: any length, offset or size that does not fit returns nil.
--   lz4.decode(block, size)     exactly size bytes, or nil
local byte, char = string.byte, string.char
local unpack = table.unpack or unpack
local lz4 = {}

-- Returns a length and the position after it. A length of 15 continues in the following bytes while they are
-- 255.
local function longer(block, place, length)
  if length < 15 then
    return length, place
  end
  repeat
    local more = byte(block, place)
    if not more then
      return nil
    end
    length, place = length + more, place + 1
  until more ~= 255
  return length, place
end

-- Copies literals eight at a time; the caller has checked that they exist. Excess bytes are overwritten later.
local function copyLiterals(out, n, block, place, length)
  for from = place, place + length - 1, 8 do
    out[n + 1], out[n + 2], out[n + 3], out[n + 4], out[n + 5], out[n + 6], out[n + 7], out[n + 8] =
      byte(block, from, from + 7)
    n = n + 8
  end
end

local function textOf(out, size)
  local parts = {}
  for from = 1, size, 4096 do
    parts[#parts + 1] = char(unpack(out, from, from + 4095 < size and from + 4095 or size))
  end
  return table.concat(parts)
end

function lz4.decode(block, size)
  local out, n, place, last = {}, 0, 1, #block
  while place <= last do
    local token = byte(block, place)
    local literals, from = longer(block, place + 1, (token - token % 16) / 16)
    if not literals or from + literals > last + 1 or n + literals > size then
      return nil
    end
    copyLiterals(out, n, block, from, literals)
    n, place = n + literals, from + literals
    if place > last then
      return n == size and textOf(out, size) or nil
    end
    local low, high = byte(block, place, place + 1)
    local length, after = longer(block, place + 2, token % 16)
    local offset = high and low + high * 256 or 0
    if not length or offset == 0 or offset > n or n + length + 4 > size then
      return nil
    end
    for i = n + 1, n + length + 4 do
      out[i] = out[i - offset]
    end
    n, place = n + length + 4, after
  end
  return nil
end

return lz4
