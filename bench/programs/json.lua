-- JSON: writing and reading nested records with patterns and substrings.
local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\t'] = '\\t', ['\r'] = '\\r' }
local encode
local function encodeString(s) return '"' .. s:gsub('[%c"\\]', escapes) .. '"' end
function encode(value)
  local kind = type(value)
  if kind == 'table' then
    local out = {}
    if #value > 0 then
      for i = 1, #value do out[i] = encode(value[i]) end
      return '[' .. table.concat(out, ',') .. ']'
    end
    local keys = {}
    for k in pairs(value) do keys[#keys + 1] = k end
    table.sort(keys)
    for i = 1, #keys do out[i] = encodeString(keys[i]) .. ':' .. encode(value[keys[i]]) end
    return '{' .. table.concat(out, ',') .. '}'
  elseif kind == 'string' then
    return encodeString(value)
  elseif kind == 'number' then
    return string.format('%.14g', value)
  else
    return tostring(value)
  end
end
local decode
local function skip(text, at) return string.find(text, '[^ \n\t\r]', at) or #text + 1 end
local function decodeString(text, at)
  local stop = string.find(text, '"', at + 1, true)
  while string.sub(text, stop - 1, stop - 1) == '\\' do stop = string.find(text, '"', stop + 1, true) end
  local body = string.sub(text, at + 1, stop - 1)
  body = body:gsub('\\(.)', function(c)
    if c == 'n' then return '\n' elseif c == 't' then return '\t' elseif c == 'r' then return '\r' end
    return c
  end)
  return body, stop + 1
end
function decode(text, at)
  at = skip(text, at)
  local c = string.sub(text, at, at)
  if c == '{' then
    local out = {}
    at = skip(text, at + 1)
    while string.sub(text, at, at) ~= '}' do
      local key
      key, at = decodeString(text, skip(text, at))
      at = skip(text, at)
      out[key], at = decode(text, at + 1)
      at = skip(text, at)
      if string.sub(text, at, at) == ',' then at = skip(text, at + 1) end
    end
    return out, at + 1
  elseif c == '[' then
    local out = {}
    at = skip(text, at + 1)
    while string.sub(text, at, at) ~= ']' do
      out[#out + 1], at = decode(text, at)
      at = skip(text, at)
      if string.sub(text, at, at) == ',' then at = skip(text, at + 1) end
    end
    return out, at + 1
  elseif c == '"' then
    return decodeString(text, at)
  elseif c == 't' then return true, at + 4
  elseif c == 'f' then return false, at + 5
  elseif c == 'n' then return nil, at + 4 end
  local _, stop = string.find(text, '^-?[%d.eE+-]+', at)
  return tonumber(string.sub(text, at, stop)), stop + 1
end
local records = {}
for i = 1, 120 do
  records[i] = {
    id = i, name = 'user "' .. i .. '"', active = i % 3 == 0, score = i * 1.25,
    tags = { 'alpha', 'beta\n' .. i, 'gam\\ma' }, nested = { depth = { level = i % 7, label = 'x\ty' } },
  }
end
local text = encode(records)
local hash = 0
for round = 1, 24 do
  local back = decode(text, 1)
  local again = encode(back)
  assert(again == text)
  hash = (hash * 31 + #again + back[round * 4].nested.depth.level) % 1000003
end
print('json', #text, hash, text:sub(1, 80))
