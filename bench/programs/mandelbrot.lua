-- Mandelbrot: float arithmetic without tables in the inner loop.
local N = 300
local rows, total = {}, 0
for y = 0, N - 1 do
  local ci = 2 * y / N - 1
  local row = 0
  for x = 0, N - 1 do
    local cr = 2 * x / N - 1.5
    local zr, zi, zr2, zi2 = 0, 0, 0, 0
    local inside = 1
    for _ = 1, 50 do
      zi = 2 * zr * zi + ci
      zr = zr2 - zi2 + cr
      zr2, zi2 = zr * zr, zi * zi
      if zr2 + zi2 > 4 then inside = 0; break end
    end
    row = (row * 2 + inside) % 65521
    total = total + inside
  end
  rows[#rows + 1] = row
end
local hash = 0
for i = 1, #rows do hash = (hash * 31 + rows[i]) % 1000003 end
print('mandelbrot', total, hash)
