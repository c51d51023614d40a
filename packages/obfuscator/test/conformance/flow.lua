-- Tests control flow and variables that must be preserved when functions are flattened: nested loops,
-- variables that closures share or do not share, reused registers, numeric and generic `for`.
local fs = {}
for i = 1, 3 do
  local shared, own = i, i * 10
  fs[#fs + 1] = function() shared = shared + 1 return shared, own end
  fs[#fs + 1] = function() return shared, own end
end
print(fs[1]()) print(fs[2]()) print(fs[3]()) print(fs[4]()) print(fs[6]())
for i = 1, 2 do local function again(n) if n == 0 then return i end return again(n - 1) end fs[i] = again end
print(fs[1](3), fs[2](3))
for i = 1, 2 do
  local odd
  local function even(n) if n == 0 then return 'even' .. i end return odd(n - 1) end
  function odd(n) if n == 0 then return 'odd' .. i end return even(n - 1) end
  fs[i] = even
end
print(fs[1](4), fs[2](5))
local n = 0
while n < 3 do n = n + 1 local x if n == 2 then x = 'set' end print(n, x) end
repeat local done, late = n > 5 n = n + 1 until done or late
print(n)
for i = 1, 3 do local k = i i = i * 2 fs[k] = function() i = i + 1 return i, k end end
print(fs[1](), fs[1](), fs[2](), fs[3]())
for i = 3, 1, -1 do io_ = (io_ or '') .. i end print(io_)
local function count(a, b, c) local s = 0 for i = a, b, c do s = s * 10 + i if s > 1e6 then break end end return s end
print(count(1, 3, 1), count(3, 1, -1), count(1, 3, 2), count(1, 0, 1), count(1, 1, -1), count('1', '3', '1'))
print(pcall(count, 1, nil, 1) == false, pcall(count, {}, 1, 1) == false, pcall(count, 1, 2, {}) == false)
local steps = {} for i = 0.5, 2, 0.25 do steps[#steps + 1] = i end print(#steps, steps[1], steps[#steps])
for i = 1, 3 do local up = i for j = i, 3 do if j == 2 then break end up = up + j end print(i, up) end
local function search(t, wanted)
  for i, row in ipairs(t) do
    for j, value in pairs(row) do
      if value == wanted then return i, j end
      if value == 'skip' then break end
    end
  end
  return 'none'
end
print(search({ { 1, 2 }, { 'skip', 3 }, { 4 } }, 4), search({ { 1 }, { 'skip', 3 } }, 3))
for k, v in (function(...) return next, ... end)({ 7 }, nil) do fs[k] = function() v = v + 1 return v end end
print(fs[1](), fs[1]())
local list = {}
for _, v in ipairs({ 1, 2, 3 }) do while true do if v == 2 then break end list[#list + 1] = v break end end
print(table.concat(list, ','))
-- Evaluation order while closures change the variables in between.
for _ = 1, 2 do
  local a, t = 1, { 1, 2, 3, 4 }
  local function set(v) a = v return v end
  print(select('#', a, set(2)), (select(1, a, set(3), a)), a)
  local kept = { a, set(4), a } print(kept[1], kept[2], kept[3])
  print(a .. set(5) .. a, a == set(6), -a + set(7))
  t[a - 5] = set(1) print(t[1], t[2], a)
  a, t[a] = 2, a print(a, t[1])
  print(t[set(3)], (a and set(false)) or a, a == nil)
end
local log = {}
local function say(v) log[#log + 1] = tostring(v) return v end
local obj = setmetatable({}, { __index = function(_, k) say(k) return function(_, ...) say(k .. '()') return select('#', ...), ... end end })
print(obj:first(say(1), obj:second(say(2)))) print(table.concat(log, ' ')) log = {}
print((obj:a(say(1) + say(2) * say(3), function() return 1 end, say(4) .. say(5))) , #log) print(table.concat(log, ' ')) log = {}
local pick = say(nil) and say(1) or say(false) or say(nil) or (say(2) and (say(3) and say(nil) or say(4))) print(pick, table.concat(log, ' '))
if (say(false) or not (say(nil) and say(1))) and not (say(nil) or say(false)) then print('then') else print('else') end
-- Functions that change their own loop, values with short lifetimes, and call stacks.
local function early(t) for i = 1, #t do if t[i] == nil then return i elseif t[i] == 0 then return end end return t, 'all', nil end
print(early({ 1, 0 })) print(select('#', early({ 1, 0 })), select('#', early({ 1, 2 })))
local function down(k) if k == 0 then return 0 end local below = down(k - 1) return below + 1 end print(down(2000))
local function loop(k) if k == 0 then return 'end' end return loop(k - 1) end print(loop(150))
local co = coroutine.wrap(function(...)
  for i = 1, select('#', ...) do
    local v = select(i, ...)
    for key, value in pairs({ v }) do while true do local got = coroutine.yield(key, value) if got then break end end end
  end
  return 'over'
end)
print(co('x', 'y')) print(co(nil)) print(co(true)) print(co(true))
local weak = setmetatable({}, { __mode = 'v' })
do local gone = { {} } weak[1] = gone weak[2] = gone[1] end
if _VERSION ~= 'Luau' then collectgarbage() collectgarbage() print(weak[1], weak[2]) end
local function many(...)
  local a, b, c = ... local d = (...) local t = { ..., n = select('#', ...) } local u = { n = 1, ... }
  return a, b, c, d, t.n, t[1], #u, (function(...) return select('#', ...) end)(..., ...)
end
print(many(1, nil, 3)) print(many())
do local x = 1 local get = function() return x end do local x = x + 1 x = x + get() print(x, get()) end x = 5 print(get()) end
