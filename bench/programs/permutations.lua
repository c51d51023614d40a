-- Permutations from a recursive generator in a coroutine.
local function permgen(a, n)
  n = n or #a
  if n <= 1 then
    coroutine.yield(a)
  else
    for i = 1, n do
      a[n], a[i] = a[i], a[n]
      permgen(a, n - 1)
      a[n], a[i] = a[i], a[n]
    end
  end
end
local function permutations(a) return coroutine.wrap(function() permgen(a) end) end
local count, hash = 0, 0
for p in permutations({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }) do
  count = count + 1
  hash = (hash * 7 + p[1] * 10 + p[8]) % 1000003
end
print('permutations', count, hash)
