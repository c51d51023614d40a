-- Closures: counters, composition, currying, upvalues shared by many functions.
local function counter(start)
  local n = start
  return function(step) n = n + (step or 1); return n end, function() return n end
end
local function compose(f, g) return function(x) return f(g(x)) end end
local function curry(f) return function(a) return function(b) return function(c) return f(a, b, c) end end end end
local add, get = counter(0)
for i = 1, 600000 do add(i % 3) end
print('counter', get())
local f = function(x) return x + 1 end
for _ = 1, 5 do f = compose(f, function(x) return (x * 2) % 1009 end) end
local sum = 0
for i = 1, 50000 do sum = sum + f(i) end
print('compose', sum)
local join = curry(function(a, b, c) return a * 100 + b * 10 + c end)
local total = 0
for i = 1, 80000 do total = (total + join(i % 10)(i % 7)(i % 3)) % 1000003 end
print('curry', total)
local list = {}
for i = 1, 1000 do list[i] = function() i = i + 1; return i end end
local last = 0
for _ = 1, 200 do for i = 1, #list do last = (last + list[i]()) % 1000003 end end
print('loop closures', last)
