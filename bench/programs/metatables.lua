-- Metatables: vectors with operators, inheritance chains, proxies with __index and __newindex functions.
local Vector = {}
Vector.__index = Vector
local function vec(x, y) return setmetatable({ x = x, y = y }, Vector) end
Vector.__add = function(a, b) return vec(a.x + b.x, a.y + b.y) end
Vector.__sub = function(a, b) return vec(a.x - b.x, a.y - b.y) end
Vector.__mul = function(a, k) return vec(a.x * k, a.y * k) end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Vector.__unm = function(a) return vec(-a.x, -a.y) end
Vector.__tostring = function(a) return '(' .. a.x .. ', ' .. a.y .. ')' end
function Vector:dot(other) return self.x * other.x + self.y * other.y end
local p, v = vec(0, 0), vec(1, 2)
for i = 1, 80000 do
  p = p + v * 2 - v
  if p:dot(v) > 1000000 then p = -p end
  if i % 1000 == 0 and p == vec(0, 0) then print('never') end
end
print('vector', tostring(p))
local Base = {}
Base.__index = Base
function Base:area() return 0 end
function Base:describe() return self.name end
local Shape = setmetatable({}, Base)
Shape.__index = Shape
local Square = setmetatable({}, Shape)
Square.__index = Square
function Square:area() return self.side * self.side end
local sum = 0
local square = setmetatable({ name = 'square', side = 3 }, Square)
for _ = 1, 100000 do sum = sum + square:area() + #square:describe() end
print('inheritance', sum)
local store, reads, writes = {}, 0, 0
local proxy = setmetatable({}, {
  __index = function(_, k) reads = reads + 1; return store[k] end,
  __newindex = function(_, k, value) writes = writes + 1; store[k] = value end,
})
for i = 1, 80000 do proxy['k' .. i % 50] = i; sum = sum + (proxy['k' .. (i + 7) % 50] or 0) end
print('proxy', reads, writes, sum)
