-- Matrix multiplication of nested arrays.
local function matrix(n, seed)
  local m = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do row[j] = (i * seed + j * 3) % 17 - 8 end
    m[i] = row
  end
  return m
end
local function multiply(a, b)
  local n, c = #a, {}
  local bt = {}
  for j = 1, n do
    local col = {}
    for i = 1, n do col[i] = b[i][j] end
    bt[j] = col
  end
  for i = 1, n do
    local row, ai = {}, a[i]
    for j = 1, n do
      local sum, bj = 0, bt[j]
      for k = 1, n do sum = sum + ai[k] * bj[k] end
      row[j] = sum
    end
    c[i] = row
  end
  return c
end
local n = 200
local c = multiply(matrix(n, 5), matrix(n, 7))
local trace, total = 0, 0
for i = 1, n do
  trace = trace + c[i][i]
  for j = 1, n do total = (total + c[i][j] * j) % 1000003 end
end
print('matrix', trace, total)
