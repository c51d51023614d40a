/**
 * Luau code that calls a compiled server function and encodes its result as JSON (marked JSON for moved
 * code).
 */
import { DEEPEST_VALUE, MAX_LINES, MAX_PRINTED_BYTES, MAX_VALUES_BYTES } from './limits.ts'

/**
 * Globals that a function can use: Luau's own libraries, without the parts that give access to the driver or
 * to JavaScript. Even a single JavaScript function would expose all of JavaScript.
 */
const KEPT = [
  ...['assert', 'error', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'select', 'tonumber', 'tostring'],
  ...['type', 'typeof', 'unpack', 'xpcall', 'rawequal', 'rawget', 'rawlen', 'rawset', 'getmetatable'],
  ...['setmetatable', '_VERSION', 'bit32', 'buffer', 'coroutine', 'math', 'os', 'string', 'table'],
  ...['utf8', 'vector', 'integer'],
]

/** Maximum number of holes in a list, in addition to the number of its values. */
const MAX_HOLES = 16

const ENCODER = `
local open, size, isMoved = {}, 0, false
local encode
local function refuse(what) error('it ' .. what, 0) end
local function grown(text)
  size = size + #text
  if size > ${MAX_VALUES_BYTES} then refuse('returned more than ${MAX_VALUES_BYTES} bytes of JSON') end
  return text
end
-- The UTF-8 of the character with the number of a byte above 127.
local function latin(letter)
  local code = byte(letter)
  return code < 192 and '\\194' .. letter or '\\195' .. char(code - 64)
end
local function written(text)
  return grown('"' .. gsub(text, '[%c"\\\\\\127]', function(letter) return format('\\\\u%04x', byte(letter)) end) .. '"')
end
local function quoted(text)
  if #text > ${MAX_VALUES_BYTES} then refuse('returned more than ${MAX_VALUES_BYTES} bytes of JSON') end
  if isMoved and not ulen(text) then text = '\\1b' .. gsub(text, '[\\128-\\255]', latin)
  elseif isMoved and byte(text) == 1 then text = '\\1s' .. text
  elseif not ulen(text) then refuse('returned a string that is not UTF-8') end
  return written(text)
end
local function special(value)
  if value ~= value then return written('\\1nnan') end
  if value == huge or value == -huge then return written(value > 0 and '\\1ninf' or '\\1n-inf') end
  if value % 1 == 0 and (value > 2^53 or value < -2^53) then return written('\\1n' .. format('%.17g', value)) end
end
local function number(value)
  local marked = isMoved and special(value)
  if marked then return marked end
  if value ~= value or value == huge or value == -huge then refuse('returned a number that is not finite') end
  if value % 1 == 0 and value <= 2^53 and value >= -2^53 then return grown(format('%.0f', value)) end
  return grown(format('%.17g', value))
end
local function list(value, count, depth)
  local parts = {}
  for i = 1, count do parts[i] = encode(rawget(value, i), depth) end
  return '[' .. concat(parts, ',') .. ']'
end
local function members(value, depth)
  local parts, count, numbers, last = {}, 0, 0, 0
  for name, member in next, value do
    if type(name) == 'number' then
      numbers, last = numbers + 1, max(last, name)
      if isMoved and (name < 1 or name % 1 ~= 0) then refuse('returned a table with the key ' .. tostring(name)) end
    elseif type(name) ~= 'string' then refuse('returned a table with a ' .. type(name) .. ' as a key')
    else
      count = count + 1
      parts[count] = quoted(name) .. ':' .. encode(member, depth)
    end
  end
  if numbers == 0 then return '{' .. concat(parts, ',') .. '}' end
  if count > 0 then refuse('returned a table with both list items and named keys') end
  if isMoved and last <= 2 * numbers + ${MAX_HOLES} then return list(value, last, depth) end
  if numbers ~= rawlen(value) then refuse('returned a list with gaps') end
  return list(value, numbers, depth)
end
encode = function(value, depth)
  local kind = type(value)
  grown(',')
  if kind == 'nil' then return 'null' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'number' then return number(value) end
  if kind == 'string' then return quoted(value) end
  if kind ~= 'table' then refuse('returned a ' .. kind .. ', which JSON cannot represent') end
  if open[value] then refuse('returned a table that contains itself') end
  if depth >= ${DEEPEST_VALUE} then refuse('returned tables nested more than ${DEEPEST_VALUE} levels deep') end
  open[value] = true
  local text = members(value, depth + 1)
  open[value] = nil
  return text
end`

// Takes the function's chunk and a chunk that returns the run's data and the arguments. Returns the outcome's
// kind, its text and the printed lines. Doesn't receive any JavaScript functions, because luau-web suspends
// the interpreter for each call to one. Library functions are captured in locals, because a server function
// could replace the globals.
export const DRIVER = `
local seed, isMovedCode, chunk, given = ...
local tostring, tonumber, pcall, type, next, error = tostring, tonumber, pcall, type, next, error
local rawget, rawlen, setfenv, unpack = rawget, rawlen, setfenv, unpack
local concat, freeze, pack, ulen = table.concat, table.freeze, table.pack, utf8.len
local format, byte, char, gsub, sub = string.format, string.byte, string.char, string.gsub, string.sub
local huge, max = math.huge, math.max
${ENCODER}
local base, env, printed, room = getfenv(), {}, {}, ${MAX_PRINTED_BYTES}
for _, name in { ${KEPT.map((name) => `'${name}'`).join(', ')} } do env[name] = base[name] end
env.print = function(...)
  local words = pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  local line = sub(concat(words, '\\t'), 1, room)
  if room == 0 or #printed == ${MAX_LINES} then return end
  room -= #line
  printed[#printed + 1] = line
end
env._G = env
math.randomseed(seed)
local function frozen(value)
  if type(value) ~= 'table' then return value end
  for _, member in next, value do frozen(member) end
  return freeze(value)
end
local function words(problem)
  if type(problem) ~= 'string' then return 'it threw a ' .. type(problem) end
  return sub(problem, 1, 300)
end
local function wardOf(facts)
  local ward, left = table.clone(facts), facts.seconds_left
  function ward.seconds_left() return left or huge end
  function ward.limit(name)
    local value = facts.features[name]
    if value == true then return huge end
    return tonumber(value) or 0
  end
  return freeze(ward)
end
-- The results are encoded as one list, in which nil is null.
local function callMoved()
  local facts, values = given()
  local ok, main = pcall(setfenv(chunk, env), wardOf(frozen(facts)))
  if not ok then return 'failed', words(main) end
  local results = pack(pcall(main, unpack(values, 1, values.n)))
  if not results[1] then return 'failed', words(results[2]) end
  isMoved = true
  local written, text = pcall(list, { unpack(results, 2, results.n) }, results.n - 1, 1)
  return written and 'value' or 'failed', written and text or words(text)
end
local function call()
  local ok, main = pcall(setfenv(chunk, env))
  if not ok then return 'failed', words(main) end
  if type(main) ~= 'function' then return 'failed', 'the source must return a function, but returned a ' .. type(main) end
  if not given then return 'value', 'null' end
  local facts, values = given()
  local done, value = pcall(main, frozen(facts), unpack(values, 1, values.n))
  if not done then return 'failed', words(value) end
  local written, text = pcall(encode, value, 0)
  return written and 'value' or 'failed', written and text or words(text)
end
local kind, text = (isMovedCode and callMoved or call)()
return kind, text, unpack(printed)`
