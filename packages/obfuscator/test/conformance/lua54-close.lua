-- hosts: lua5.4
-- close and const
local log = {}
local function closing(name) return setmetatable({}, { __close = function(_, e) log[#log + 1] = name .. ':' .. tostring(e) end }) end
do local a <close> = closing('a') local b <const>, c <close> = 5, closing('c') log[#log + 1] = 'body' .. b end
print(table.concat(log, ' ')) log = {}
local function f() local x <close> = closing('x') return 'result', 2 end
print(f(), table.concat(log, ' ')) log = {}
print(pcall(function() local x <close> = closing('y') error('oops', 0) end)) print(table.concat(log, ' ')) log = {}
for i = 1, 3 do local x <close> = closing('l' .. i) if i == 2 then break end end print(table.concat(log, ' ')) log = {}
for k, v in next, { 1 }, nil, closing('for') do print(k, v) end print(table.concat(log, ' ')) log = {}
local function iterate() for k in next, { 1, 2 }, nil, closing('it') do if k == 1 then return 'early' end end end print(iterate(), table.concat(log, ' '))
local K <const> = 'constant' local function up() return K end print(up(), K .. 1)
