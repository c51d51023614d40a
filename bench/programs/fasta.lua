-- Fasta: random sequences, string pieces, table lookups by cumulative weight.
local IM, IA, IC = 139968, 3877, 29573
local last = 42
local function random(max)
  last = (last * IA + IC) % IM
  return max * last / IM
end
local function cumulative(tab)
  local p = 0
  local rows = {}
  for i = 1, #tab do
    local pair = tab[i]
    p = p + pair[2]
    rows[i] = { c = pair[1], p = p }
  end
  return rows
end
local function pick(rows)
  local r = random(1.0)
  for i = 1, #rows do
    if r < rows[i].p then return rows[i].c end
  end
  return rows[#rows].c
end
local function randomFasta(id, rows, n)
  local lines, width = {}, 60
  local hash = 0
  while n > 0 do
    local line = {}
    local len = n < width and n or width
    for i = 1, len do line[i] = pick(rows) end
    local text = table.concat(line)
    for i = 1, #text, 7 do hash = (hash * 33 + string.byte(text, i)) % 16777213 end
    lines[#lines + 1] = text
    n = n - width
  end
  print('>' .. id, #lines, lines[1], hash)
end
local iub = cumulative({
  { 'a', 0.27 }, { 'c', 0.12 }, { 'g', 0.12 }, { 't', 0.27 }, { 'B', 0.02 }, { 'D', 0.02 }, { 'H', 0.02 },
  { 'K', 0.02 }, { 'M', 0.02 }, { 'N', 0.02 }, { 'R', 0.02 }, { 'S', 0.02 }, { 'V', 0.02 }, { 'W', 0.02 }, { 'Y', 0.02 },
})
local sapiens = cumulative({ { 'a', 0.3029549426680 }, { 'c', 0.1979883004921 }, { 'g', 0.1975473066391 }, { 't', 0.3015094502008 } })
randomFasta('TWO IUB ambiguity codes', iub, 120000)
randomFasta('THREE Homo sapiens frequency', sapiens, 200000)
