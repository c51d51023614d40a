/** The Luau code that compiles a server function, calls it and encodes its answer as JSON. */
import { DEEPEST_VALUE, MAX_VALUES_BYTES } from './limits.ts'

/**
 * Globals that a function can use: Luau's own libraries, without anything that reaches its callers or
 * JavaScript, because one JavaScript function would expose all of JavaScript.
 */
const KEPT = [
  ...['assert', 'error', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'select', 'tonumber', 'tostring'],
  ...['type', 'typeof', 'unpack', 'xpcall', 'rawequal', 'rawget', 'rawlen', 'rawset', 'getmetatable'],
  ...['setmetatable', '_VERSION', 'bit32', 'buffer', 'coroutine', 'math', 'os', 'string', 'table'],
  ...['utf8', 'vector', 'integer'],
]

const ENCODER = `
local open, size = {}, 0
local encode
local function refuse(what) error('it ' .. what, 0) end
local function grown(text)
  size = size + #text
  if size > ${MAX_VALUES_BYTES} then refuse('answered more than ${MAX_VALUES_BYTES} bytes of JSON') end
  return text
end
local function quoted(text)
  if #text > ${MAX_VALUES_BYTES} then refuse('answered more than ${MAX_VALUES_BYTES} bytes of JSON') end
  if not ulen(text) then refuse('answered a text that is not UTF-8') end
  return grown('"' .. gsub(text, '[%c"\\\\\\127]', function(letter) return format('\\\\u%04x', byte(letter)) end) .. '"')
end
local function number(value)
  if value ~= value or value == huge or value == -huge then refuse('answered a number that is not finite') end
  if value % 1 == 0 and value <= 2^53 and value >= -2^53 then return grown(format('%.0f', value)) end
  return grown(format('%.17g', value))
end
local function list(value, count, depth)
  local parts = {}
  for i = 1, count do parts[i] = encode(rawget(value, i), depth) end
  return '[' .. concat(parts, ',') .. ']'
end
local function members(value, depth)
  local parts, count, numbers = {}, 0, 0
  for name, member in next, value do
    if type(name) == 'number' then numbers = numbers + 1
    elseif type(name) ~= 'string' then refuse('answered a table with a ' .. type(name) .. ' as a name')
    else
      count = count + 1
      parts[count] = quoted(name) .. ':' .. encode(member, depth)
    end
  end
  if numbers == 0 then return '{' .. concat(parts, ',') .. '}' end
  if count > 0 then refuse('answered a table with both positions and names') end
  if numbers ~= rawlen(value) then refuse('answered a list with gaps') end
  return list(value, numbers, depth)
end
encode = function(value, depth)
  local kind = type(value)
  grown(',')
  if kind == 'nil' then return 'null' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'number' then return number(value) end
  if kind == 'string' then return quoted(value) end
  if kind ~= 'table' then refuse('answered a ' .. kind .. ', which JSON does not have') end
  if open[value] then refuse('answered a table that contains itself') end
  if depth >= ${DEEPEST_VALUE} then refuse('answered tables more than ${DEEPEST_VALUE} deep in each other') end
  open[value] = true
  local text = members(value, depth + 1)
  open[value] = nil
  return text
end`

// `compile` returns a function, or an error message if the source is not valid Luau. Library functions are
// captured in locals because a server function could replace the globals.
export const DRIVER = `
local take, compile, emit, finish = ...
local tostring, tonumber, pcall, type, next, error = tostring, tonumber, pcall, type, next, error
local rawget, rawlen, setfenv, unpack = rawget, rawlen, setfenv, unpack
local concat, freeze, pack, ulen = table.concat, table.freeze, table.pack, utf8.len
local format, byte, gsub, sub, huge, seed = string.format, string.byte, string.gsub, string.sub, math.huge, math.randomseed
${ENCODER}
local base, env = getfenv(), {}
for _, name in { ${KEPT.map((name) => `'${name}'`).join(', ')} } do env[name] = base[name] end
env.print = function(...)
  local words = pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  emit(concat(words, '\\t'))
end
env._G = env
seed(tonumber(take('seed')))
local function frozen(value)
  if type(value) ~= 'table' then return value end
  for _, member in next, value do frozen(member) end
  return freeze(value)
end
local function words(problem)
  if type(problem) ~= 'string' then return 'it threw a ' .. type(problem) end
  return sub(problem, 1, 300)
end
local function called()
  local values, run = take('values'), take('run')
  local chunk = compile(take('source'), take('name'))
  if type(chunk) == 'string' then return finish('uncompiled', chunk) end
  local ok, main = pcall(setfenv(chunk, env))
  if not ok then return finish('failed', words(main)) end
  if type(main) ~= 'function' then return finish('failed', 'the source must return a function, and returned a ' .. type(main)) end
  if values == '' then return finish('value', 'null') end
  local given = compile(values, 'values')()
  local facts = frozen(compile(run, 'run')())
  local done, value = pcall(main, facts, unpack(given, 1, given.n))
  if not done then return finish('failed', words(value)) end
  local written, text = pcall(encode, value, 0)
  if not written then return finish('failed', words(text)) end
  finish('value', text)
end
called()`
