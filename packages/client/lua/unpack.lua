-- Unpacks the format described and produced by src/pack.ts. It never receives any other input.
local byte, char = string.byte, string.char
local unpack = table.unpack or unpack

return function(text)
  local place, out, size, parts = 1, {}, 0, {}
  local function digit()
    place = place + 1
    return byte(text, place - 1) - 33
  end
  local function count(value, most)
    if value < most then return value end
    repeat
      local more = digit()
      value = value + more
    until more < 93
    return value
  end
  while place <= #text do
    local token = digit()
    local length = token % 9
    local literals = count((token - length) / 9, 9)
    for i = place, place + literals - 1 do
      size = size + 1
      out[size] = byte(text, i)
    end
    place = place + literals
    if place <= #text then
      local distance = digit()
      distance = distance < 80 and distance * 94 + digit() or 7520 + ((distance - 80) * 94 + digit()) * 94 + digit()
      for _ = 1, count(length, 8) + 3 do
        size = size + 1
        out[size] = out[size - distance]
      end
    end
  end
  for from = 1, size, 4096 do
    parts[#parts + 1] = char(unpack(out, from, math.min(from + 4095, size)))
  end
  return table.concat(parts)
end
