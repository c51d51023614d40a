-- Tests the order of evaluation, assignment and side effects, and short-circuit operators.
local log = {}
local function say(x, v) log[#log + 1] = x; if v == nil then return x end return v end
local function flush() print(table.concat(log, ' ')); log = {} end
local t = {}
t[say('k')] = say('v'); flush()
local x = say('a') .. say('b') .. say('c'); flush()
local y = say(1, 1) + say(2, 2) * say(3, 3) - say(4, 4); flush(); print(y)
print(say('f', print) == print, say('g')); flush()
local r = { say('one'), x = say('two'), [say('three')] = say('four'), say('five') }; flush()
print(r[1], r[2], r.x, r.three)
local _ = say('l', false) and say('r'); flush()
_ = say('l', true) and say('r'); flush()
_ = say('l', false) or say('r'); flush()
_ = say('l') or say('r'); flush()
_ = not (say('p') and say('q')); flush()
local i = 1
local arr = { 10, 20, 30 }
i, arr[i] = i + 1, 99
print(i, arr[1], arr[2])
local a, b = 1, 2
a, b = b, a
print(a, b)
local obj = { n = 0 }
function obj:add(v) self.n = self.n + v; log[#log + 1] = 'add' .. v; return self end
obj:add(say('1', 1)):add(say('2', 2)):add(3); flush(); print(obj.n)
local function get() log[#log + 1] = 'get'; return obj end
get():add(5); flush()
get().n = say('val', 7); flush(); print(obj.n)
for n = say('start', 1), say('limit', 3), say('step', 1) do say(n) end flush()
while say('cond', #log < 4) do say('body') end flush()
repeat local done = say('inner', true) until say('until', done) flush()
if say('if', false) then say('no') elseif say('elseif', true) then say('yes') else say('no') end flush()
print(1 < 2 == true, 'a' < 'b', not nil == true, 2 ^ 3 ^ 2, -2 ^ 2, not 1 == 2, 1 .. 2 == '12')
print(2 * 3 % 4, 7 - 3 - 2, 2 ^ -1, -3 % 5, 3 % -5, 5.5 % 2, (2 + 3) * 4, 2 + 3 * 4, 8 / 4 / 2)
print('a' .. 'b' .. 1 + 2 .. 'c', #'abc' + 1, -#'ab', not not nil)
print(1 or error('no'), nil and error('no'), false or nil, nil or false, false and nil)
