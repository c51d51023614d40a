-- Encodes values exchanged between a script and its code on the server (client protocol, Server code). Values
-- that JSON can't represent become markers: strings that start with \1 and a letter:
--   \1b  a string that is not UTF-8, with each byte as a character up to U+00FF
--   \1s  a string that itself starts with \1
--   \1n  a number that is not finite, or a whole number beyond 2^53
-- Null stands for nil, including in lists.
--   values.encode(value)      returns a value for JSON; raises an error message that describes what cannot be sent
--   values.decode(value)      returns the script's value for a JSON value
local json, isUtf8 = ...
local type, pairs, getmetatable, error = type, pairs, getmetatable, error
local byte, char, sub, gsub, format, huge = string.byte, string.char, string.sub, string.gsub, string.format, math.huge
local integer = math.type

local MAX_DEPTH, MAX_HOLES = 24, 16
local NUMBERS = { inf = huge, ['-inf'] = -huge, nan = huge - huge }
local values = {}

-- Converts a byte above 127 to the UTF-8 of the character with that code point. `unlatin` does the reverse.
local function latin(letter)
  local code = byte(letter)
  return code < 192 and '\194' .. letter or '\195' .. char(code - 64)
end

local function unlatin(letters)
  return char(byte(letters, 2) + (byte(letters) - 194) * 64)
end

local function encodeText(text)
  if not isUtf8(text) then return '\1b' .. gsub(text, '[\128-\255]', latin) end
  return byte(text) == 1 and '\1s' .. text or text
end

local function encodeNumber(value)
  if value ~= value then return '\1nnan' end
  if value == huge or value == -huge then return value > 0 and '\1ninf' or '\1n-inf' end
  if value % 1 ~= 0 or (value <= 2 ^ 53 and value >= -2 ^ 53) then return value end
  if integer and integer(value) == 'integer' then error('an integer beyond 2^53', 0) end
  -- The host's locale determines the decimal point.
  return '\1n' .. gsub(format('%.17g', value), '[^%de+%-]', '.')
end

local encode

local function encodeList(list, last, depth)
  local parts = {}
  for i = 1, last do
    local value = list[i]
    if value == nil then parts[i] = json.null else parts[i] = encode(value, depth) end
  end
  return parts
end

local function encodeTable(value, depth)
  if depth > MAX_DEPTH then error('a table that contains itself or has more than ' .. MAX_DEPTH .. ' levels', 0) end
  local names, count, last = {}, 0, 0
  local isNamed = false
  for key, member in pairs(value) do
    if type(key) == 'string' then
      isNamed = true
      names[encodeText(key)] = encode(member, depth)
    elseif type(key) == 'number' and key >= 1 and key % 1 == 0 then
      count, last = count + 1, key > last and key or last
    else
      error('a table with a key that is neither a string nor a positive whole number', 0)
    end
  end
  if isNamed and count > 0 then error('a table with both array items and named fields', 0) end
  if last > 2 * count + MAX_HOLES then error('a list with too many gaps', 0) end
  return isNamed and names or encodeList(value, last, depth)
end

function encode(value, depth)
  local kind = type(value)
  if kind == 'string' then return encodeText(value) end
  if kind == 'number' then return encodeNumber(value) end
  if kind == 'boolean' or value == json.null then return value end
  if kind ~= 'table' then error('a ' .. kind, 0) end
  if getmetatable(value) ~= nil and not json.isList(value) then error('a table with a metatable', 0) end
  return encodeTable(value, depth + 1)
end

function values.encode(value)
  return encode(value, 0)
end

local function decodeText(text)
  if byte(text) ~= 1 then return text end
  local kind, rest = sub(text, 2, 2), sub(text, 3)
  if kind == 'b' then return (gsub(rest, '[\194\195][\128-\191]', unlatin)) end
  if kind == 'n' then return NUMBERS[rest] or json.decode(rest) end
  return rest
end

function values.decode(value)
  if value == json.null then return nil end
  if type(value) == 'string' then return decodeText(value) end
  if type(value) ~= 'table' then return value end
  local copy = {}
  for key, member in pairs(value) do
    if type(key) == 'string' then key = decodeText(key) end
    copy[key] = values.decode(member)
  end
  return copy
end

return values
