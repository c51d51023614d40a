-- Tests errors: pcall, xpcall, error values, rethrowing, errors in metamethods, and the state after errors.
print(pcall(error)) print(pcall(error, nil)) print(select('#', pcall(error)))
print(pcall(error, { code = 1 }) == false, select(2, pcall(error, 'plain', 0)))
local ok, e = pcall(error, { code = 42 }) print(ok, type(e), e.code)
print(select(2, xpcall(function() error('x', 0) end, function(m) return 'handled ' .. m end)))
print(pcall(function(...) return select('#', ...), ... end, 1, nil, 3))
print((pcall(function() local x = nil; return x.y end)))
print((pcall(function() return 1 + {} end)), (pcall(function() return #5 end)), (pcall(function() return {} < {} end)))
print((pcall(function() undefined_function() end)), (pcall(function() return ('x')() end)))
local function risky(n) if n == 0 then error('bottom', 0) end local r = risky(n - 1); return r end
print(pcall(risky, 5))
local state = {}
pcall(function() state[1] = 'before'; error('stop'); state[2] = 'after' end)
print(state[1], state[2])
print(pcall(pcall, error, 'e'))
local ok2, e2 = pcall(function() local ok, e = pcall(error, 'inner', 0); error('outer+' .. e, 0) end) print(ok2, e2)
print(pcall(assert, false, 'message'), pcall(assert, nil), select('#', assert(1, 2, 3)))
print(tostring(select(2, pcall(error, setmetatable({}, { __tostring = function() return 'custom' end })))))
local t = setmetatable({}, { __index = function(_, k) error('no field ' .. k, 0) end })
print(pcall(function() return t.foo end))
local co = coroutine.create(function() error('in coroutine', 0) end)
print(coroutine.resume(co)) print(coroutine.status(co))
local function level() error('msg', 2) end
print((pcall(level)))
for i = 1, 3 do local ok, e = pcall(function() if i == 2 then error(i, 0) end return i end) print(ok, e) end
print(type(select(2, pcall(string.rep))), (pcall(string.format, '%d', 'x')))
