-- Eight queens: recursion over small boolean arrays.
local function solve(n)
  local cols, d1, d2, count = {}, {}, {}, 0
  local function place(row)
    if row > n then count = count + 1; return end
    for c = 1, n do
      if not cols[c] and not d1[row + c] and not d2[row - c + n] then
        cols[c], d1[row + c], d2[row - c + n] = true, true, true
        place(row + 1)
        cols[c], d1[row + c], d2[row - c + n] = false, false, false
      end
    end
  end
  place(1)
  return count
end
for n = 4, 8 do print('queens', n, solve(n)) end
print('queens', 9, solve(9))
print('queens', 10, solve(10))
