-- Tests coroutines across loops and calls, without metamethods; varargs, wrap, status and errors.
local co = coroutine.create(function(a, b)
  print('start', a, b)
  local c = coroutine.yield(a + b)
  print('got', c)
  local d, e = coroutine.yield(c * 2)
  print('got', d, e)
  return 'end', d + e
end)
print(coroutine.resume(co, 1, 2)) print(coroutine.resume(co, 10)) print(coroutine.resume(co, 3, 4)) print(coroutine.resume(co))
print(coroutine.status(co))
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i, i * i) end end)
print(gen()) print(gen()) print(gen()) print(gen())
local function walk(t) if type(t) == 'table' then for _, v in ipairs(t) do walk(v) end else coroutine.yield(t) end end
for v in coroutine.wrap(function() walk({ 1, { 2, { 3 } }, 4 }) end) do print(v) end
print(select('#', coroutine.resume(coroutine.create(function() return nil, nil end))))
local inner = coroutine.wrap(function() local r = coroutine.wrap(function() coroutine.yield('deep') end)(); coroutine.yield(r); coroutine.yield('shallow') end)
print(inner(), inner())
local out = {}
local producer = coroutine.create(function() for _, x in ipairs({ 'a', 'b', 'c' }) do coroutine.yield(x) end end)
while true do local ok, x = coroutine.resume(producer); if not x then break end out[#out + 1] = x end
print(table.concat(out))
print(coroutine.resume(coroutine.create(function(...) return select('#', ...) end), nil, nil))
local c2 c2 = coroutine.create(function() print(coroutine.status(c2), coroutine.running() ~= nil) end) coroutine.resume(c2)
local w = coroutine.wrap(function() local i = 0 while true do i = i + (coroutine.yield(i) or 1) end end)
print(w(), w(), w(5), w())
local acc = {}
local function repeatYield() local i = 0 repeat i = i + 1 local k = coroutine.yield(i) acc[i] = k until k == 'stop' return 'stopped' end
local ry = coroutine.wrap(repeatYield) print(ry(), ry('x'), ry('y'), ry('stop'), table.concat(acc, ','))
