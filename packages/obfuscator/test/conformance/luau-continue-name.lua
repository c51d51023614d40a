-- hosts: luau
-- Tests words that are keywords in some positions and names in others.
local type, export, continue, const = 1, 2, 3, 4
print(type + export, continue + const)
type = 5 export = 6 const = 7
continue = 8
print(type, export, continue, const)
local t = { type = 'type', continue = 'c', const = 'k', export = 'e' }
print(t.type, t.continue, t.const, t.export)
for i = 1, 3 do if i == 2 then continue end print(i) end
function t.continue() return 'call' end print(t.continue())
local function typeof() return 'own' end print(typeof())
