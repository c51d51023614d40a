-- Tests globals: defined late, redefined, read through functions, deleted, shadowed library names,
-- user-defined functions with the same names.
print(late) late = 1 print(late) late = nil print(late)
function defined(x) return x * 2 end
print(defined(4)) local saved = defined defined = function(x) return x * 3 end print(defined(4), saved(4))
local real = print
local lines = {}
print = function(...) lines[#lines + 1] = select('#', ...) .. ':' .. tostring((...)) end
print('captured', 1) print() print(nil)
print = real
print(table.concat(lines, ' '))
local original = tostring
tostring = function(x) return 'T' .. original(x) end
print(tostring(5), tostring == original) tostring = original
a, b, c = 1, 2
print(a, b, c) a, b = b, a print(a, b)
for i = 1, 3 do counter = (counter or 0) + i end print(counter)
while counter > 0 do counter = counter - 4 end print(counter)
function t1() return t2() end function t2() return 'two' end print(t1())
lib = { sub = {} } function lib.sub.f() return lib.sub end function lib.sub:g() return self == lib.sub end
print(lib.sub.f() == lib.sub, lib.sub:g(), lib['sub'] == lib.sub)
if undefined_global == nil then print('nil global') end
local function uses() return shared end shared = 'x' print(uses()) shared = 'y' print(uses())
math_alias = math print(math_alias.floor(2.5), math.huge > 1e308, string.len('abc'), type(os.time))
do local print = function(x) return 'local ' .. x end real(print('p')) end
local type = type print(type(type), type(nil))
_x, __y, _ = 1, 2, 3 print(_x, __y, _)
arg1 = 'arg1' print(arg1)
function vararg_global(...) local n = select('#', ...) return n, ... end print(vararg_global(1, nil))
