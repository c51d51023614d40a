-- Finds typos in keys with a key format such as `HUB-XXXXX-XXXXX-XXXXX-XXXXX-X` before anything is sent: each
-- X is a symbol, and the last one is a check character, computed from the others in the field with 32
-- elements.
--   keyCheck(form, key)      the key to send, or false if it contains a typo
local find, match, sub, upper = string.find, string.match, string.sub, string.upper

-- The value of a symbol is its index, from 0.
local SYMBOLS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

-- Works bit by bit, because some hosts have neither bit operators nor a bit library.
local function bxor(a, b)
  local sum, place = 0, 1
  while a > 0 or b > 0 do
    local x, y = a % 2, b % 2
    if x ~= y then sum = sum + place end
    a, b, place = (a - x) / 2, (b - y) / 2, place * 2
  end
  return sum
end

-- Doubles a value in the field modulo x^5 + x^2 + 1.
local function doubled(value)
  return value < 16 and value * 2 or bxor(value * 2, 37)
end

-- Returns the part before the first dash, unless that part is a group of symbols.
local function prefixOf(form)
  local prefix = match(form, '^[^-]*-') or ''
  return match(prefix, '^X+-$') and '' or prefix
end

-- A key in another form is not checked. It predates the format or was created by another service.
return function(form, key)
  local typed, prefix = upper(key), prefixOf(form)
  if #typed ~= #form or sub(typed, 1, #prefix) ~= prefix then return key end
  local check, value = 0, 0
  for i = #prefix + 1, #form do
    local symbol = sub(typed, i, i)
    if sub(form, i, i) == 'X' then
      local place = find(SYMBOLS, symbol, 1, true)
      if not place then return key end
      check, value = doubled(bxor(check, value)), place - 1
    elseif symbol ~= '-' then
      return key
    end
  end
  return check == value and typed
end
