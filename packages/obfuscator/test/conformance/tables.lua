-- Tests constructors of every kind and size, length, nested access, assignment, weak tables, huge lists.
local t = { 1, 2, 3, nil, 5, n = 'n', [10] = 'ten', ['k'] = 'k', { nested = { deep = true } }, }
print(t[1], t[5], t.n, t[10], t.k, t[6].nested.deep)
local u = { 1; 2; 3, }
print(#u)
local f = function() return 1, 2 end
print(#{ f(), f() }, #{ f(), (f()) }, #{ (f()) }, #{ f(), nil }, #{ [1] = 1, [2] = 2 })
local big = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, f() }
print(#big, big[188], big[189], big[200], big[202])
local words = { 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9' }
print(#words, table.concat(words, ''))
local nested = { { { { { 'x' } } } } }
print(nested[1][1][1][1][1])
nested[1][1].y = { z = function() return { w = 'w' } end }
print(nested[1][1].y.z().w, #nested[1][1])
local key = {}
local m = { [key] = 'table key', [print] = 'function key', [true] = 'yes', [1.5] = 'float', [-1] = 'negative' }
print(m[key], m[print], m[true], m[1.5], m[-1], m[false])
table.insert(u, 4) table.insert(u, 1, 0) print(table.concat(u, ' '), table.remove(u), table.remove(u, 1), #u)
local cut = { 1, 2, 3 } cut[#cut] = nil cut[#cut + 1] = 'new' print(#cut, cut[3])
local weak = setmetatable({}, { __mode = 'k' })
weak[{}] = 'gone' weak[key] = 'kept'
print(weak[key])
print(next({}), next({ 1 }), type(next), rawget(m, key), rawequal(key, key), #'four')
local fn = { function() return 'first' end, name = function() return 'named' end, ['a b'] = function(x) return x end }
print(fn[1](), fn.name(), fn['a b'](3), ({ 'inline' })[1], ({ x = 'field' }).x, (fn)[1]())
local copy = {}
for k, v in pairs({ x = 1, y = 2 }) do copy[k] = v end print(copy.x, copy.y)
local a, b = {}, {}
a.b, b.a = b, a
print(a.b.a.b == b, a == b.a)
a[1], a[2], a[3] = 1, 2
print(#a, a[3])
