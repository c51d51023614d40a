-- Tests the sign of zero. In Lua 5.1, all zeros in a function have the sign of the first.
print(-0)
local function alone() return -0, 1 / -0 end
local function plusFirst() local a = 0 return a, -0, 1 / -0, 0 end
local function minusFirst() local a = -0 return a, 0, 1 / 0, -(0) end
local function calculated() return 0 * -1, 1 - 1, 0 / -5, -(-0), 0 % 5 end
local function calculatedFirst() return 1 - 1, 0 * -1, -0 end
local function runTime(x) return x * -1, -x, x - 0 end
print(alone()) print(plusFirst()) print(minusFirst()) print(calculated()) print(calculatedFirst()) print(runTime(0))
local function inner() local f = function() return -0 end return 0, f(), -0 end
print(inner())
for i = 1, 2 do local t = { -0, 0, [0] = 'zero' } print(t[1], t[2], t[-0], #t) end
print(0, -0, 1 / -0 == 1 / 0, 0 == -0)
local function equal(x) if x == 0 then return -0 elseif x == -0 then return 0 end return 1 / -0 end
print(equal(0), equal(-0), equal(1))
