-- hosts: lua5.1 luajit luau
-- Tests getfenv and setfenv: functions with other environments, metatables on environments, level numbers.
local function f() return value end
value = 'global'
print(f())
setfenv(f, { value = 'own' }) print(f(), value)
local env = setmetatable({}, { __index = getfenv() })
local function g() x = 1; print(x, value) end
setfenv(g, env) g() print(x, env.x)
print(getfenv(f).value, getfenv(1) == getfenv(), getfenv(g) == env)
local function h() setfenv(1, { print = print, y = 'y' }); print(y, value) end h()
local log = {}
local proxy = setmetatable({}, { __index = function(_, k) log[#log + 1] = k; return k == 'print' and print or nil end })
local p = setfenv(function() print(unknown); other = 1 end, proxy) p() print(table.concat(log, ','), rawget(proxy, 'other'))
local function outer() return function() return inner_global end end
inner_global = 'before' local i1 = outer() setfenv(outer, { }) print(i1())
print(pcall(setfenv, print, {}) == true or true)
