-- Tests every metamethod that all hosts support; inheritance; __index and __newindex as tables and
-- functions; __call with varargs.
local log = {}
local mt = {}
for _, op in ipairs({ 'add', 'sub', 'mul', 'div', 'mod', 'pow', 'unm', 'concat' }) do
  mt['__' .. op] = function(a, b) local n = function(v) return type(v) == 'table' and v.name or tostring(v) end; return op .. '(' .. n(a) .. ',' .. n(b) .. ')' end
end
mt.__eq = function(a, b) return a.name == b.name end
mt.__lt = function(a, b) return a.name < b.name end
mt.__le = function(a, b) return a.name <= b.name end
mt.__call = function(self, ...) return self.name, select('#', ...), ... end
mt.__tostring = function(self) return '<' .. self.name .. '>' end
local function new(name) return setmetatable({ name = name }, mt) end
local a, b, c = new('a'), new('b'), new('a')
print(a + b, a - 1, 2 * a, a / b, a % 3, a ^ b, a .. b, a .. 'x', 'x' .. a, 1 .. a)
print((-a):sub(1, 6), a == c, a == b, a ~= c, a < b, a <= c, a > b, a >= b)
print(a(1, nil, 3), tostring(a), (a()))
print(a .. b .. c)
local base = { greet = function(self) return 'hi ' .. self.name end }
local mid = setmetatable({}, { __index = base })
local obj = setmetatable({ name = 'o' }, { __index = mid, __newindex = function(t, k, v) log[#log + 1] = k; rawset(t, k, v) end })
print(obj:greet(), obj.missing)
obj.x = 1 obj.x = 2 obj['y'] = 3 print(table.concat(log, ','), obj.x, obj.y)
local proxy = setmetatable({}, { __index = function(_, k) return k .. '?' end, __newindex = mid })
print(proxy.foo, proxy[1]) proxy.z = 'z' print(rawget(proxy, 'z'), mid.z)
print(getmetatable(a) == mt, getmetatable('').__index == string, getmetatable(setmetatable({}, { __metatable = 'locked' })))
print(pcall(setmetatable, setmetatable({}, { __metatable = 1 }), {}) == false)
local default = setmetatable({}, { __index = function(t, k) local v = k * 2; t[k] = v; return v end })
print(default[21], rawget(default, 21), rawget(default, 5))
local env = setmetatable({}, { __index = function(_, k) return 'global ' .. k end })
print(env.anything, rawlen and true or true)
local Class = {} Class.__index = Class
function Class.new(v) local self = setmetatable({}, Class) self.v = v return self end
function Class:get() return self.v end
local Sub = setmetatable({}, { __index = Class }) Sub.__index = Sub
function Sub.new(v) local self = Class.new(v) return setmetatable(self, Sub) end
function Sub:get() return 'sub ' .. Class.get(self) end
print(Class.new(1):get(), Sub.new(2):get())
local callable = setmetatable({}, { __call = function(_, x, y) return (x or 0) + (y or 0) end })
print(callable(1, 2), callable(5), pcall(callable, 3, 4))
for k, v in setmetatable({}, { __call = function(_, _, k) k = (k or 0) + 1; if k <= 2 then return k, k * k end end }) do print(k, v) end
