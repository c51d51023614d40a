-- Tests the varargs and return values of the chunk, in which arg is an ordinary global.
local a, b = ...
print(a, b, select('#', ...))
local function outer(...) local x = ...; return x, select('#', ...) end
print(outer(...), outer(1, nil))
print(arg == nil or type(arg) == 'table')
arg = 'mine' print(arg)
local function reads() return arg end print(reads())
arg, other = 'pair', 'other' print(arg, other)
print((function() return arg end)())
if select('#', ...) > 3 then return ... end
return 'returned', nil
