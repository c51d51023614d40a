-- Prints the message of every kind of runtime error. Each error is on a separate line, whose number hosts
-- report.
local cases = {}
local none = nil
local function check(name, f)
  cases[#cases + 1] = { name, f }
end
check('index', function()
  local a = {}
  a.x = 1
  return a.y.z
end)
check('call nil', function()
  local a = 5
  a = a + 1
  none()
end)
check('if condition', function()
  local a = 5
  if a > 3 then
    a = a + 1
  end
  if none.field > 3 then
    return 1
  end
  return 2
end)
check('elseif condition', function()
  local a = 5
  if a > 30 then
    return 1
  elseif a == 7 then
    return 2
  elseif none.field then
    return 3
  end
  return 2
end)
check('while condition', function()
  local i = 0
  while i + none < 3 do
    i = i + 1
  end
end)
check('repeat condition', function()
  local i = 0
  repeat
    i = i + 1
  until none.x
end)
check('for bound', function()
  local i = 0
  for j = 1, none do
    i = i + j
  end
end)
check('for in', function()
  local t = 0
  for k, v in pairs(none) do
    t = t + v
  end
end)
check('in a loop', function()
  local t = {}
  for i = 1, 10 do
    t[i] = i
    if i == 7 then
      t = t .. none
    end
  end
end)
check('nested loops', function()
  local t = {}
  for i = 1, 10 do
    t[i] = i
    for j = 1, 5 do
      if i == 7 and j == 2 then
        error('nested boom')
      end
    end
  end
end)
check('error', function()
  local x = 'text'
  error('boom ' .. x)
end)
check('table over lines', function()
  local x = 'text'
  local t = {
    a = 1,
    b = x .. 'b',
    c = none.c,
    d = 2,
  }
  return t
end)
check('call over lines', function()
  local x = 'text'
  local t = tostring(
    x,
    none.y,
    5
  )
  return t
end)
check('chain', function()
  local o = {}
  function o.a() return o end
  function o.b() error('in b') end
  local r = o
    .a()
    .a()
    .b()
  return r
end)
check('expression over lines', function()
  local x = 1
  local y = x
    + 2
    + none
  return y
end)
check('compare', function()
  local x = 'a'
  return x < 5
end)
check('concat', function()
  local x = {}
  local s = 'a' .. 'b' .. x
  return s
end)
check('method', function()
  local x = {}
  x:missing()
end)
check('string method', function()
  local s = 'abc'
  return s:rep(2):bad()
end)
check('global call', function()
  local s = 'abc'
  undefinedFunction(s)
end)
check('assert', function()
  local s = 'abc'
  local t = string.rep(nil, 3)
end)
check('metamethod', function()
  local t = setmetatable({}, {
    __index = function(self, key)
      error('no ' .. key)
    end,
  })
  return t.foo
end)
check('and or', function()
  local a = 1
  local b = a == 2 and 5
    or a == 1 and none.zzz
    or 6
  return b
end)
check('return over lines', function()
  local a = 1
  return a,
    none.zzz,
    3
end)
check('assign field', function()
  local a = 1
  none.zzz = a
end)
check('unary', function()
  local a = 1
  local t = {}
  return -t
end)
check('length', function()
  local a = 1
  return #none
end)
local function deep(n)
  if n == 0 then
    error('deep')
  end
  local r = deep(n - 1)
  return r
end
check('deep', function()
  local a = deep(3)
  return a
end)
check('coroutine', function()
  local co = coroutine.wrap(function()
    coroutine.yield(1)
    local x = none.q
  end)
  co()
  co()
end)
for i = 1, #cases do
  local ok, e = pcall(cases[i][2])
  print(cases[i][1] .. '|' .. tostring(e))
end
