-- base64url without padding (RFC 4648 §5), strict: invalid input is neither skipped nor repaired.
--   base64.encode(bytes)     text
--   base64.decode(text)      bytes, or nil for an invalid character, an impossible length or stray bits at the end
local byte, char, sub = string.byte, string.char, string.sub
local base64 = {}
local LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

-- The value that each character contributes to the bytes before and after it, by its position in a group of four.
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
