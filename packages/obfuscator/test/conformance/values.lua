-- Tests multiple results: truncation by parentheses, trailing nils, select, varargs, adjustment in every
-- position.
local function three() return 1, 2, 3 end
local function none() end
local function nils() return nil, nil, nil end
print((three()))
print(three(), three())
print((three()), three())
print(select('#', three()), select('#', (three())), select('#', none()), select('#', (none())))
print(select('#', nils()), select('#', nil, nil), select('#', nils(), nils()))
local function count(...) return select('#', ...) end
print(count(nil, nil), count(three(), nil), count(nil, three()), count())
local t = { three(), three() }
print(#t, t[1], t[2], t[3], t[4])
t = { three(), (three()) }
print(#t)
t = { (three()) }
print(#t, #{ three() }, #{ none() }, #{ three(), nil })
t = { nils(), x = three() }
print(t.x, #t)
local a, b, c, d = three()
print(a, b, c, d)
a, b, c, d = 0, three()
print(a, b, c, d)
a, b = (three())
print(a, b)
a, b, c = none()
print(a, b, c)
local function tail(...) return ... end
print(tail(nil, nil, 3))
print((tail(1, 2)))
print(tail(three(), 10), count(tail(nil, nil)))
local function pass(...) local a, b = ...; return a, b, select('#', ...), ... end
print(pass(1), pass(1, nil), pass())
local function table_of(...) return { ... }, { n = select('#', ...), ... } end
local p, q = table_of(1, nil, 3)
print(q.n, p[1], p[2], p[3])
print(#{ three(), three(), three() }, #{ [1] = 5, three() }, ({ [1] = 5, three() })[1])
print((three)(), ((three))(), (function(...) return select('#', ...) end)(three()))
print(not three(), -three(), #tostring(three()), three() + three(), three() .. three())
print(three() and 'x', none() or 'y', three() == 1)
if three() then print('then') end
for i = (three()), (three()) do print('loop', i) end
for k, v in (function() return next, { 7 } end)() do print(k, v) end
print(pcall(three))
print(select(2, 'a', 'b', 'c'), select(-1, 'a', 'b', 'c'))
print(string.format('%s %s', three()), ('x'):rep(three()))
local s = 0
for _, v in ipairs({ three(), three() }) do s = s + v end
print(s)
print(tostring(nil), tostring(three()))
return three()
