-- Tests branches decided by a single value: equal and unequal, numbers and strings on either side, values
-- that change after the comparison.
local function number(x)
  if x == 7 then return 'seven', x + 1000 end
  if 12 ~= x then
    if x ~= 1e15 then return 'none of them', x end
    return 'large', 123456
  end
  x = 500
  return 'twelve', x, 999 + x
end
print(number(7))
print(number(12))
print(number(1e15))
print(number('7'))
print(number(nil))
print(number({}) == 'none of them')
print(number(7.0000001) == 'none of them')

local function zero(x)
  if x == 0 then return 'zero', 4711, 'and a text' end
  return 'other', 4712, 'and a text'
end
print(zero(0))
print(zero(-0))
print(zero(0 / 0))
print(zero(false))
print(zero(-1))

local function text(x, y)
  if x == 'apple' then
    x = y
    if 'pears' == x then return 'both', 31337 end
    return 'apple only', x, 77777
  elseif x ~= 'plums' and y == 'grape' then
    return 'grape', 4711
  end
  while y == 'again' do
    y = 'enough of it'
    if x ~= y then x = y .. 'x' end
  end
  return 'no fruit', x, y
end
print(text('apple', 'pears'))
print(text('apple', 'grape'))
print(text('grapes', 'grape'))
print(text('plums', 'grape'))
print(text('plums', 'again'))
print(text(nil, 5))

-- __eq is never called for operands of different types
local asked = 0
local sly = setmetatable({}, { __eq = function() asked = asked + 1 return true end, __len = function() return 5 end })
print(number(sly) == 'none of them', (text(sly, sly)), asked)

local calls = 0
local function next_() calls = calls + 1 return calls end
for _ = 1, 4 do
  if next_() == 2 then print('second call', 2000 + calls) elseif next_() == 4 then print('fourth', 4000 + calls) end
end
print(calls)

local state = { kind = 'waiting', count = 3 }
repeat
  if state.kind == 'waiting' then
    state.kind = 'running'
  elseif state.count == 0 then
    state.kind = 'ended now'
  else
    state.count = state.count - 1
  end
  print(state.kind, state.count)
until state.kind == 'ended now'

local function deep(a, b, c)
  if a == 1 then if b == 2 then if c == 3 then return 'deep', 60000 end return 'c', 60001 end return 'b', 60002 end
  return 'a', 60003
end
print(deep(1, 2, 3), deep(1, 2, 4), deep(1, 3, 3), deep(2, 2, 3))
print(select('#', ...) == 3 and (...) == 'first')
