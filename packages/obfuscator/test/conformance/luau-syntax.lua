-- hosts: luau
-- Tests Luau's own syntax. Every target must print the same output as Luau.
local log = {}
local function say(v, r) table.insert(log, tostring(v)); if r == nil then return v end return r end
local function flush() print(table.concat(log, ' ')); log = {} end
-- compound assignment, evaluated once
local t = { n = 1, s = 'a', list = { 5 } }
t.n += 2 t.n *= 3 t.n -= 1 t.n /= 4 t.n ^= 2 t.n %= 3 t.s ..= 'b' .. 'c'
print(t.n, t.s)
local function get() say('get') return t end
local function key() say('key') return 'n' end
get()[key()] += say('value', 10) flush() print(t.n)
get().list[say('index', 1)] *= 2 flush() print(t.list[1])
local x = 1 x += 1 x *= 10 print(x)
local function bump() x += 1 return 100 end
x += bump() print(x)
counter = 5 counter += 1 counter -= 10 print(counter)
x //= 3 t.list[1] //= 3 print(x, t.list[1])
local swap = { v = 1 } local other = { v = 10 } local cur = swap
local function redirect() cur = other return 5 end
cur.v += redirect() print(swap.v, other.v)
local up = { v = 1 } local function viaUpvalue() up.v += 4 return up.v end print(viaUpvalue())
-- continue
for i = 1, 6 do if i % 2 == 0 then continue end print('odd', i) end
for i = 1, 6 do if i == 2 then continue end if i == 5 then break end print('c', i) end
local i = 0
while i < 6 do i += 1 if i == 3 then continue elseif i == 5 then break end print('w', i) end
i = 0
repeat i += 1 local done = i >= 4 if i == 2 then continue end print('r', i) until done
i = 0
repeat i += 1 local a, b = i, i * 2 local function f() return a + b end if i == 2 then continue end if i == 9 then break end until f() > 12
print(i)
local fs = {}
i = 0
repeat i += 1 local k = i fs[i] = function() k += 1 return k end if i % 2 == 0 then continue end until k >= 4
print(i, fs[1](), fs[1](), fs[2](), fs[4]())
for a = 1, 3 do for b = 1, 3 do if b == 2 then continue end if a == 2 then break end print(a, b) end if a == 1 then continue end print('outer', a) end
for _, v in ipairs({ 1, 2, 3, 4 }) do if v == 2 then continue end local g = function() return v end if v == 4 then break end print(g()) end
local function inLoop() for j = 1, 5 do if j < 3 then continue end return j end end print(inLoop())
local continue = 5 continue += 1 print(continue)
while true do while true do if i then break end continue end break end
-- if-expressions
local function choose(c, a, b) return if c then a else b end
print(choose(true, nil, 1), choose(false, nil, 1), choose(true, false, 1), choose(false, 1, false), choose(nil, 1, nil))
local v = if x > 1000 then 'big' elseif x > 10 then 'middle' else 'small' print(v)
print(if false then 1 else nil, if true then false else 1, (if true then nil else 2) == nil)
local function multi() return 1, 2, 3 end
print((if true then multi() else 0), if true then multi() else 0)
print(select('#', if true then multi() else 0), #{ if true then multi() else 0 })
local lazy = if say('c', true) then say('a', false) else say('b', 1) flush() print(lazy)
local nested = if nil then 1 else if false then 2 else if true then nil else 3 print(nested)
local arg1 = (if choose(true, false) then 'x' else multi()) + 1 print(arg1)
t.field = if t.missing then t.missing else t.also print(t.field)
return_if = (function(...) return if ... then (...) else 'none' end) print(return_if('va'), return_if(nil), return_if())
-- interpolated strings
local name, n = 'World', 3.5
print(`hello {name}!`, `{n}`, `a{1}b{2}c`, `{nil} {true} {name .. '?'}`, `plain`, ``, `{'nested'} {`deep {name}`}`)
print(`braces \{ and {({1, 2})[2]}`, `tick \` and % percent %d {'%s'}`, `{multi()}|{multi()}`)
local obj = setmetatable({}, { __tostring = function() say('ts') return 'OBJ' end })
print(`<{obj}>`, `{say('one', 1)}{obj}{say('two', 2)}`) flush()
print(`line\
break`, `\65\x42\u{43}`, `\z
      skipped`, #`{''}`)
-- floor division
print(7 // 2, -7 // 2, 7 // -2, 7.5 // 2, 1 // 0, -1 // 0, '9' // 2, 2 ^ 53 // 1 == 2 ^ 53)
local idiv = setmetatable({}, { __idiv = function(a, b) return type(a) .. '//' .. type(b), 'cut' end })
print(idiv // 2, 5 // idiv, (pcall(function() return {} // 1 end)), (pcall(function() return nil // 1 end)))
print(10 // 3 * 2, 2 ^ 2 // 3, -7 // 2 // 2)
-- generalized iteration
local sum = 0
for k, item in { 10, 20, 30 } do sum += k * item end print(sum)
local single = {} for k, item in { only = 'value' } do single = { k, item } end print(single[1], single[2])
local iterable = setmetatable({}, { __iter = function(self) return function(s, c) c = c + 1 if c <= 3 then return c, c * c end end, self, 0 end })
for k, item in iterable do print('iter', k, item) end
for a, b in pairs({ z = 1 }) do print(a, b) end
for a, b in next, { 'n' } do print(a, b) end
local function triple() return next, { 't' }, nil end for a, b in triple() do print(a, b) end
for k in {} do print('never', k) end
local callable = setmetatable({}, { __call = function(_, _, c) c = (c or 0) + 1 if c < 3 then return c end end }) for c in callable do print('call', c) end
for _, inner in { { 1, 2 }, { 3 } } do for _, q in inner do if q == 2 then continue end print(q) end end
-- literals and escapes
print(0b101, 0B11, 0xFF_FF, 1_000_000, 0b1111_0000, 1_0.5_0, "\x41\u{48}\u{20AC}\z
   end", '\065')
-- types and casts
type Point = { x: number, y: number? }
export type Maybe<T> = T | nil
local function typed<T>(a: T, ...: number): (T, number) return a, select('#', ...) end
local p: Point, q2: string? = { x = 1 }, nil
print(typed('a', 1, 2), p.x :: number, (multi() :: any), #(name :: string), q2)
print((typed :: any)('cast'), { 1, 2 } :: { number } ~= nil, (p :: any).x)
local function attributes(a: (number) -> (), b: { [string]: boolean }, c: typeof(p)): nil return nil end print(attributes(print, {}, p))
@native local function nat(v: number): number return v * 2 end print(nat(4))
type function Mapped(ty) return ty end
const LIMIT = 10 print(LIMIT + 1) const function cf() return 'const function' end print(cf())
const c1, c2 = multi() print(c1, c2)
