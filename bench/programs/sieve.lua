-- Sieve of Eratosthenes, several rounds.
local function sieve(n)
  local flags, count = {}, 0
  for i = 2, n do flags[i] = true end
  for i = 2, n do
    if flags[i] then
      count = count + 1
      for k = i * i, n, i do flags[k] = false end
    end
  end
  return count
end
local total = 0
for round = 1, 60 do total = total + sieve(25000 + round) end
print('sieve', total)
