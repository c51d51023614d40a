-- Tests closures and upvalues: one per iteration, shared between functions, captured loop variables,
-- recursion.
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 10; return i end end
print(fs[1](), fs[1](), fs[2](), fs[3]())
fs = {}
for _, v in ipairs({ 'a', 'b' }) do fs[#fs + 1] = function() return v end end
print(fs[1](), fs[2]())
fs = {}
local n = 0
while n < 3 do n = n + 1; local k = n; fs[n] = { function() return k end, function() k = k * 2 end } end
fs[2][2](); print(fs[1][1](), fs[2][1](), fs[3][1]())
fs = {}
n = 0
repeat n = n + 1; local k = n; fs[n] = function() k = k + 1; return k end until k >= 3
print(fs[1](), fs[1](), fs[2](), fs[3]())
local function counter() local c = 0; return function() c = c + 1; return c end, function() return c end end
local inc, get = counter(); inc(); inc(); print(get())
local inc2 = counter(); print(inc2(), get())
local function fact(k) if k <= 1 then return 1 end return k * fact(k - 1) end
print(fact(10))
local f = function(k) return k end
local f = function(k) if k == 0 then return 'outer' end return f(k - 1) end
print(f(2))
local even, odd
function even(k) if k == 0 then return true end return odd(k - 1) end
function odd(k) if k == 0 then return false end return even(k - 1) end
print(even(10), odd(7))
local x = 1
local function shadow(x) local x = x + 1; do local x = x * 2; print(x) end return x end
print(shadow(5), x)
local x = x + 1
print(x)
do local x = 'inner'; print(x) end
local function deep() local v = 1; return function() return function() return function() v = v + 1; return v end end end end
local d = deep()()(); print(d(), d())
local function tailcall(k) if k == 0 then return 'done' end return tailcall(k - 1) end
print(tailcall(150))
local t = { f = function(self, k) return self.g(k) end, g = function(k) return k * 2 end }
print(t:f(21), t.f(t, 4))
local m = {}
function m.a() return 'a' end
m.b = { c = {} }
function m.b.c.d(...) return select('#', ...) end
function m.b.c:e(...) return self == m.b.c, ... end
print(m.a(), m.b.c.d(1, nil), m.b.c:e(1, 2))
global_f = function() return global_v end
global_v = 5
print(global_f()); global_v = 6; print(global_f())
function global_g(a, ...) return a, select('#', ...) end
print(global_g(1, 2, 3), _G == nil)
local function many(a, b, c, d, e, ...) local f, g = ...; return a, b, c, d, e, f, g end
print(many(1, 2, 3), many(1, 2, 3, 4, 5, 6, 7, 8))
print((function() local a = 1; local function b() return a end; a = 2; return b() end)())
local list = {}
for i = 1, 3 do local j = i; list[i] = function(add) j = j + add; return i + j end end
print(list[1](1), list[1](1), list[3](5))
