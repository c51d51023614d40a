-- Tests strings used often, rarely and never: names, strings of every length, loops with and without calls.
local out = {}
local function emit(...)
  local line = {}
  for i = 1, select('#', ...) do line[i] = tostring((select(i, ...))) end
  out[#out + 1] = table.concat(line, ' ')
end

-- lengths around the cipher's group size, and every byte
emit('a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg', 'abcdefgh', 'abcdefghi', '\0', '\0\0', '\0\0\0\0\0', '\255\254\253\252')
emit(#'\0', #'a\0b', #'a\0b\0', #'\0\0\0\0', ('\1\2\3\4\5\6\7'):byte(1, -1))
local long = 'the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog; the quick brown fox jumps over the lazy dog; the quick brown fox jumps over it'
emit(#long, long:sub(1, 9), long:sub(-9), long == 'the quick brown fox jumps over the lazy dog')

-- names used often enough to be cached, as a field, a method and a key in a constructor
local Counter = {}
Counter.__index = Counter
function Counter.new() return setmetatable({ total = 0, longFieldName = 'start' }, Counter) end
function Counter:increment(by) self.total = self.total + by return self end
local counter = Counter.new()
for i = 1, 60 do
  counter:increment(i).longFieldName = 'round ' .. i
  local made = { total = i, another = 'value' }
  counter.total = counter.total + made.total + #made.another
end
emit(counter.total, counter.longFieldName, rawget(counter, 'increment'))

-- loops without calls cache each string from its first use
local function kinds(list)
  local apples, pears, rest, seen = 0, 0, '', false
  for i = 1, #list do
    local kind = list[i]
    if kind == 'apple' then
      apples = apples + 1
    elseif kind == 'pearl' or kind == 'pears' then
      pears = pears + 1
      if kind ~= 'pears' then seen = 'a pearl' end
    elseif kind == 'leave' then
      break
    else
      rest = rest .. ',other'
      local j = 0
      while j < 3 do
        if kind == 'plums' and j == 1 then rest = rest .. '!plums' end
        j = j + 1
      end
    end
  end
  return apples, pears, rest, seen
end
emit(kinds({ 'apple', 'pears', 'plums', 'apple', 'grape', 'pears' }))
emit(kinds({ 'apple', 'pearl', 'leave', 'apple' }))
emit(kinds({}))

local function search(list, wanted)
  local i = 0
  repeat
    i = i + 1
    if list[i] == 'stop here' then return 'stopped', i end
    local found = list[i] == wanted and 'matching' or false
  until found == 'matching' or i > 5
  return 'ended', i
end
emit(search({ 'first', 'second' }, 'second'))
emit(search({ 'first', 'stop here' }, 'second'))
emit(search({}, 'nothing'))

for key, value in next, { only = 'value' } do
  if value == 'value' then key = key .. ' one' end
  out[#out + 1] = key .. ' and ' .. value
end

-- the same strings in loops with calls, and in functions created in loops
local made = {}
for i = 1, 3 do
  made[i] = function(kind)
    local text = ''
    while #text < 12 do text = text .. (kind == 'apple' and 'apple' or 'other') .. i end
    return text
  end
  emit('apple', made[i]('apple'), made[i]('pears'))
end

-- metamethods that run without a call
local answers = setmetatable({}, { __index = function(_, key) emit('asked for', key) return key .. '!' end })
local joined = ''
for i = 1, 2 do
  joined = joined .. answers.first .. 'comma' .. answers[i] .. 'point'
end
emit(joined)

if not emit then emit('this is never shown', long) end
for _, line in ipairs(out) do print(line) end
