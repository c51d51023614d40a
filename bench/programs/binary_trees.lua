-- Binary trees: allocation and recursion.
local function bottomUp(depth)
  if depth > 0 then
    depth = depth - 1
    return { bottomUp(depth), bottomUp(depth) }
  end
  return {}
end
local function check(tree)
  if tree[1] then return 1 + check(tree[1]) + check(tree[2]) end
  return 1
end
local N = 14
print(string.format('stretch tree of depth %d\t check: %d', N + 1, check(bottomUp(N + 1))))
local long = bottomUp(N)
for depth = 4, N, 4 do
  local iterations = 2 ^ (N - depth + 4) / 4
  local sum = 0
  for _ = 1, iterations do sum = sum + check(bottomUp(depth)) end
  print(string.format('%d\t trees of depth %d\t check: %d', iterations, depth, sum))
end
print(string.format('long lived tree of depth %d\t check: %d', N, check(long)))
