-- Tests loops, break in every kind of loop, nested scopes, numeric for with floats and backward, while with
-- complex conditions.
for i = 1, 0 do print('never') end
for i = 3, 1, -1 do print(i) end
for i = 1, 2, 0.5 do print(string.format('%.1f', i)) end
for i = 0.1, 0.35, 0.1 do print(string.format('%.2f', i)) end
for i = 1, 3 do local i = i * 2; print(i) end
for i = 1, 10 do if i > 3 then break end print('b', i) end
local i = 10
for i = i, i + 2 do print(i) end
print(i)
while true do i = i - 1; if i < 5 then break end end
print(i)
repeat local stop = i > 8; i = i + 1 until stop
print(i)
for a = 1, 3 do for b = 1, 3 do if b == 2 then break end print(a, b) end end
local function find(t, x) for k, v in pairs(t) do if v == x then return k end end return nil end
print(find({ 'x', 'y', 'z' }, 'y'), find({}, 1))
local function nested()
  while true do
    repeat
      for j = 1, 5 do if j == 3 then return 'three', j end end
    until false
  end
end
print(nested())
do local a = 1; do local a = 2; do local a = 3; print(a) end print(a) end print(a) end
do return_value = (function() do return 1 end end)() end print(return_value)
local t = { 5, 3, 8, 1 }
table.sort(t, function(x, y) return x > y end) print(table.concat(t, ','))
local keys = {}
for k in pairs({ a = 1, b = 2, c = 3 }) do keys[#keys + 1] = k end table.sort(keys) print(table.concat(keys))
local removed = { 1, 2, 3, 4, 5, 6 }
for k, v in pairs(removed) do if v % 2 == 0 then removed[k] = nil end end
print(removed[1], removed[2], removed[3], removed[4], removed[5], removed[6])
if nil then elseif false then else print('else') end
if 0 then print('zero is true') end
if '' then print('empty is true') end
local function elseifs(x) if x == 1 then return 'one' elseif x == 2 then return 'two' elseif x == 3 then return 'three' else return 'many' end end
print(elseifs(1), elseifs(2), elseifs(3), elseifs(4))
for _ = 1, 2 do local function f() return f end print(f() == f) end
local r = 0
for i = 10, 1, -3 do r = r * 10 + i end print(r)
for i = 2 ^ 53 - 1, 2 ^ 53 do r = i break end print(string.format('%.0f', r))
;(print)('semicolon'); (print)('again')
local s = 'x' local u = s .. 'y' print(u)
goto_like = 1 print(goto_like)
