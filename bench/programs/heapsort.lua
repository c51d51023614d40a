-- Heap sort over floats from a linear congruential generator.
local seed = 42
local function rand()
  seed = (seed * 3877 + 29573) % 139968
  return seed / 139968
end
local function heapsort(n, ra)
  local l = math.floor(n / 2) + 1
  local ir = n
  while true do
    local rra
    if l > 1 then
      l = l - 1
      rra = ra[l]
    else
      rra = ra[ir]
      ra[ir] = ra[1]
      ir = ir - 1
      if ir == 1 then ra[1] = rra; return end
    end
    local i, j = l, l * 2
    while j <= ir do
      if j < ir and ra[j] < ra[j + 1] then j = j + 1 end
      if rra < ra[j] then
        ra[i] = ra[j]
        i = j
        j = j + i
      else
        j = ir + 1
      end
    end
    ra[i] = rra
  end
end
local n = 60000
local a = {}
for i = 1, n do a[i] = rand() end
heapsort(n, a)
for i = 1, n - 1 do assert(a[i] <= a[i + 1]) end
print(string.format('%.10f %.10f %.10f', a[1], a[n / 2], a[n]))
