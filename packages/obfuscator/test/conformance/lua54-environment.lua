-- hosts: lua5.4
-- environment and library
x54 = 5 print(_ENV.x54, _G.x54, _ENV == _G) _ENV.y54 = 6 print(y54)
local chunk = load('local a <const> = 3 return a // 2, ...', 'c', 't', {}) print(chunk(9))
print(select('#', table.unpack({ 1, nil, 3 }, 1, 3)), table.pack(1, nil).n, rawlen({ 1, 2 }), math.ult(1, -1))
local mt = setmetatable({}, { __idiv = function() return 'idiv' end, __band = function() return 'band' end, __shl = function() return 'shl' end, __bnot = function() return 'bnot' end, __lt = function() return true end, __index = function(_, k) return k end })
print(mt // 1, mt & 1, mt << 1, ~mt, mt < mt, mt[1.0], mt[2])
print((function(...) local a, b = ... return a, b, select('#', ...) end)(1, nil, 3))
local s = 'x' print(s:rep(3), ('%d'):format(3.0), "u")
print(tostring(1e15), tostring(2^63), 2^63 == math.maxinteger + 1.0, -2^63 == math.mininteger, 1e308 * 10, -(0/0) ~= 0/0)
print(string.format('%q', 1 / 3), string.format('%q', 0.1), 7 // 0.5, 5.3 % 2, -5.3 % 2, 5 % math.huge, -5 % math.huge)
local function count2(...) local n = 0 for _ in ipairs { ... } do n = n + 1 end return n end print(count2(1, 2, 3))
print(...)
do local _ENV = { print = print, a = 1 } b = a + 1 print(a, b, _ENV.b) local function f(...) c = ... return c end print(f(7), c) end
local box = { x = 4 } local function inside(_ENV) x = x + 1 return x, function(v) x = v end end
local got, set = inside(box) set(9) print(got, box.x, x, b, c)
for _, _ENV in ipairs { { v = 1 }, { v = 2 } } do v = v * 2 function m() return v end box[#box + 1] = m end print(#box, v)
do local print, _ENV <const> = print, setmetatable({}, { __index = function(_, k) return k end }) print(hello, world, _G) end
print(#"\u{7FFFFFFF}", "\u{7FFFFFFF}\u{200000}\u{3FFFFFF}\u{1FFFFF}" == "\xFD\xBF\xBF\xBF\xBF\xBF\xF8\x88\x80\x80\x80\xFB\xBF\xBF\xBF\xBF\xF7\xBF\xBF\xBF")
do local keep, p = _ENV, print _ENV = { y = 1 } y = y + 1 p(y, print) _ENV = keep end print(y)

