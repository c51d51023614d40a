-- Tests that variables do not keep their values alive after their block ends, however it ends, and that
-- closures keep the values they use.
if _VERSION ~= 'Luau' then
  -- LuaJIT traces keep the values that were on the stack when the trace started.
  if jit then jit.off() jit.flush() end
  local weak = setmetatable({}, { __mode = 'v' })
  local function look(...)
    collectgarbage() collectgarbage()
    local line = {}
    for i = 1, select('#', ...) do line[i] = tostring(weak[select(i, ...)] ~= nil) end
    print(unpack(line))
  end
  local function keep(name, value) weak[name] = value return value end

  do local a = keep('block', {}) local function f() return a end f() end
  look('block')
  do local a = {} local function f() a = keep('assigned', { a }) return a end f() end
  look('assigned')
  local function arms(n)
    if n == 1 then local a = keep('first', {}) local b = { a }
    elseif n == 2 then local a, b = keep('second', {}), { n } if b then local c = keep('inner', { a, b }) end
    else local a = keep('last', {}) end
    look('first', 'second', 'inner', 'last')
    return n
  end
  print(arms(1), arms(2), arms(3))
  local function loops(n)
    for i = 1, n do local a = keep(i, { i }) end
    look(1, n)
    for i = 1, n do local a = keep(i, { i }) if i == 2 then break end local b = keep('b', { a }) end
    look(1, 2, 'b')
    for k, v in pairs({ 'x', 'y' }) do local a = keep(v, {}) if k == 2 then break end end
    look('x', 'y')
    local i = 0
    while i < n do i = i + 1 local a = weak if i > 1 then a = { i } weak.plain = a end end
    look('plain')
    repeat local a = keep('repeated', {}) i = i - 1 until a == nil or i < 1
    look('repeated')
    for j = 1, 2 do look('round') local a = keep('round', {}) end
    for j = 1, 2 do if j == 1 then local a = keep('arm', {}) end look('arm') end
    return n
  end
  print(loops(3))
  local function several(...) do local a, b, c = ... weak.a, weak.b, weak.c = a, b, c end end
  local function given() several({}, {}, {}) look('a', 'b', 'c') return 1 end
  print(given())
  local function calls(n)
    do local a = keep(n, { n }) local function again(m) if m > 0 then return again(m - 1) end return a[1] end
      print(again(3)) end
    look(n)
    return n
  end
  print(calls(1), calls(2))
  if jit then jit.on() end
end

local made = {}
do
  local count, list = 0, {}
  made.add = function(value) count = count + 1 list[#list + 1] = value return count end
  made.read = function() return count, list[1], list[#list] end
end
if made then local shared = 'kept' made.get = function() return shared end made.set = function(v) shared = v end end
made.add('first') made.add('last') made.set(made.get() .. '!')
print(made.get(), made.read())
do
  local a, b, c, d, e = 1, 2, 3, 4, 5
  local t = {
    function() return a + b + c + d + e end, function() a = a + 1 return a + b + c + d + e end,
    function() return a + b + c + d + e end, function() b = b + 1 return a + b + c + d + e end,
  }
  for i = 1, 4 do print(t[i]()) end
end
