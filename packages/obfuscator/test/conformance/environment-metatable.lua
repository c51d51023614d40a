-- hosts: lua5.1 luajit
-- Tests reads and writes of globals while _G has a metatable that intercepts them, and after the metatable
-- is removed.
existing = 1
local reads, writes = {}, {}
setmetatable(_G, {
  __index = function(_, k) reads[#reads + 1] = k; return 'auto ' .. k end,
  __newindex = function(t, k, v) writes[#writes + 1] = k; rawset(t, k, v) end,
})
print(missing_one) fresh_one = 5 print(fresh_one) existing = 2 print(existing)
function fresh_function() return missing_two end
print(fresh_function(), _G.missing_three, _G['fresh_one'])
_G.direct = 'd' print(direct) rawset(_G, 'raw', 'r') print(raw)
print(table.concat(reads, ' '), table.concat(writes, ' '))
setmetatable(_G, nil) print(missing_one)
local loaded = loadstring('local a = ... ; loaded_global = a; return missing_four, a') print(loaded('z')) print(loaded_global)
