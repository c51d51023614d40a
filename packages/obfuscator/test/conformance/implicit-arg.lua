-- hosts: lua5.1
-- Tests Lua 5.1's local `arg` in a vararg function that does not use `...`. In one that does, `arg` is nil.
arg = 'global'
local function implicit(...) return type(arg), arg.n, arg[1] end
print(implicit('x', nil, 'z'))
local function explicit(...) return arg, select('#', ...) end
print(explicit(1))
local function nested(...) local function inner() return arg.n end return inner() end
print(nested(1, 2))
local function none() return arg end print(none())
local function writes(...) arg = 5 return arg end print(writes(1), arg)
