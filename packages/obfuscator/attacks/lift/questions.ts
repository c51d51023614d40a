/**
 * The Lua code that answers the oracle's queries. `__seam` receives the locals of the startup code and
 * answers queries about them. It finds the script's own functions by name when the script's main function
 * makes a call, and it calls them when the main function returns.
 */
export const RUN = `
local write, exit, format, byte, gsub = io.write, os.exit, string.format, string.byte, string.gsub
local pairs, type, pcall, tonumber, tostring, unpack = pairs, type, pcall, tonumber, tostring, unpack
local getmetatable, lines, gmatch, debug, char, error = getmetatable, io.lines, string.gmatch, debug, string.char, error
local flush = io.stdout.flush
local function spelled(value)
  local kind = type(value)
  if kind == 'number' then return format('number%.17g', value) end
  if kind == 'string' then return 'string' .. gsub(value, '.', function(c) return format('%02x', byte(c)) end) end
  return (kind == 'boolean' or kind == 'nil') and tostring(value) or '?'
end
local function read(word)
  if word:sub(1, 1) ~= 's' or word == 'script' then return tonumber(word) or word end
  return (gsub(word:sub(2), '%x%x', function(digits) return char(tonumber(digits, 16)) end))
end
local function questions(isOfScript)
  local list = {}
  for line in lines(arg[2]) do
    local words = {}
    for word in gmatch(line, '%S+') do words[#words + 1] = word end
    if (words[2] == 'script' or words[2] == 'crack') == isOfScript then
      for i = 4, #words do words[i] = read(words[i]) end
      list[#list + 1] = words
    end
  end
  return list
end
local function try(f, ...)
  debug.sethook(function() error('stop', 0) end, '', 1000000)
  local ok, answer = pcall(f, ...)
  debug.sethook()
  return ok, answer
end
local function show(number, ok, value)
  if ok then write('answer ', number, ' ', spelled(value), '\\n') end
end
local function dump(found)
  for name, value in pairs(found) do
    write('local ', name, ' ', spelled(value), '\\n')
    local meta = type(value) == 'table' and getmetatable(value)
    if meta and meta.__index then write('answers ', name, '\\n') end
    if type(value) == 'table' then
      for k, held in pairs(value) do
        if type(k) == 'number' then write(format('entry %s %.17g %s\\n', name, k, spelled(held))) end
      end
    end
  end
end
-- In functions with "...", Lua 5.1 has another 'arg'.
local candidates = arg[3]
local function crack(f, hash, ...)
  for line in lines(candidates) do
    local word = read(line)
    if f(word, ...) == hash then return word end
  end
end
local function answerOfScript(named)
  for _, words in pairs(questions(true)) do
    local number, how, f = words[1], words[2], named[words[3]]
    if f and how == 'crack' then
      local ok, word = pcall(crack, f, unpack(words, 4))
      show(number, ok and word ~= nil, word)
    elseif f then
      local ok, made = try(f, unpack(words, 4))
      if ok and type(made) == 'table' then
        for k, held in pairs(made) do
          if type(k) == 'number' then write(format('item %s %.17g %s\\n', number, k, spelled(held))) end
          for i, inner in pairs(type(held) == 'table' and held or {}) do
            write(format('nested %s %.17g %.17g %s\\n', number, k, i, spelled(inner)))
          end
        end
      end
    end
    flush(io.stdout)
  end
end
function __seam(found)
  dump(found)
  for _, words in pairs(questions(false)) do
    local holder, key = found[words[3]], words[4]
    if words[2] == 'call' then show(words[1], try(holder[key], unpack(words, 5)))
    else show(words[1], try(function() return holder[key] end)) end
  end
  flush(io.stdout)
  if #questions(true) == 0 then exit(0) end
  local main, named = debug.getinfo(2, 'f').func, {}
  debug.sethook(function(event)
    local called, caller = debug.getinfo(2, 'f'), debug.getinfo(3, 'f')
    if event ~= 'call' and called and called.func == main then
      answerOfScript(named)
      exit(0)
    end
    if event ~= 'call' or not caller or caller.func ~= main then return end
    for i = 1, 250 do
      local name, value = debug.getlocal(3, i)
      if not name then break end
      if type(value) == 'function' then named[name] = value end
    end
  end, 'cr')
end
print = function() end
assert(loadfile(arg[1]))('first')
`
