-- JSON (RFC 8259) as the client protocol uses it (§6): null is dropped in objects and is `json.null` in
-- lists; whole numbers beyond 2^53 are written as strings; at most 32 levels; strings are passed through as
-- UTF-8.
--   json.encode(value)       text, or nil and an error message
--   json.decode(text)        value, or nil and an error message with the byte position
--   json.isList(value)       whether the value was decoded from an empty list
--   json.null                represents null in lists, and a document that is just null
local json = { null = setmetatable({}, { __tostring = function() return 'null' end }) }
local byte, char, find, format, sub = string.byte, string.char, string.find, string.format, string.sub
local DEPTH = 32

-- Marks a list that was empty when decoded, so that it is encoded as [] rather than {}.
local LIST = {}

-- The host's locale determines the decimal point of numbers.
local point = format('%.1f', 0.5):match('0(.+)5')
local pointPattern = point:gsub('%p', '%%%0')

function json.isList(value)
  return getmetatable(value) == LIST
end

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
    error('numbers must be finite', 0)
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
      error('lists must not have gaps', 0)
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
      error('table keys must be strings', 0)
    end
  end
  if count > 0 and names > 0 then
    error('a table must be either a list or an object', 0)
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

-- Returns the character that the escape at `place` represents, and the position after it.
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

-- Returns the value that starts at `place`, and the position of the next non-white-space character after it.
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
