-- Collatz lengths with a memo table and library calls through globals.
local memo = {}
local function length(n)
  if n == 1 then return 1 end
  local known = memo[n]
  if known then return known end
  local value = 1 + length(n % 2 == 0 and n / 2 or 3 * n + 1)
  if n < 20000 then memo[n] = value end
  return value
end
local best, where = 0, 0
for i = 1, 20000 do
  local l = length(i)
  best = math.max(best, l)
  if l == best then where = i end
end
local sum = 0
for i = 1, 300000 do sum = sum + math.floor(math.abs(math.sin(i)) * 10) + math.min(i % 7, 3) end
print('collatz', best, where, sum)
