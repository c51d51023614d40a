-- Conway's life on a torus, drawn as text at the end.
local W, H = 64, 40
local function grid() local g = {}; for y = 1, H do g[y] = {}; for x = 1, W do g[y][x] = 0 end end; return g end
local world = grid()
for _, cell in ipairs({ { 2, 1 }, { 3, 2 }, { 1, 3 }, { 2, 3 }, { 3, 3 }, { 20, 20 }, { 21, 20 }, { 22, 20 }, { 21, 21 }, { 22, 22 }, { 40, 10 }, { 41, 10 }, { 42, 10 }, { 43, 11 } }) do
  world[cell[2]][cell[1]] = 1
end
local function step(old)
  local new = grid()
  for y = 1, H do
    local up, row, down = old[(y - 2) % H + 1], old[y], old[y % H + 1]
    for x = 1, W do
      local l, r = (x - 2) % W + 1, x % W + 1
      local n = up[l] + up[x] + up[r] + row[l] + row[r] + down[l] + down[x] + down[r]
      if n == 3 or (n == 2 and row[x] == 1) then new[y][x] = 1 end
    end
  end
  return new
end
for _ = 1, 300 do world = step(world) end
local alive = 0
for y = 1, H do
  local line = {}
  for x = 1, W do
    alive = alive + world[y][x]
    line[x] = world[y][x] == 1 and '#' or '.'
  end
  if y % 8 == 0 then print(table.concat(line)) end
end
print('life', alive)
