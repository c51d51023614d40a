-- A ring of coroutines that pass a counter on, and generators with wrap.
local N, LAPS = 100, 1500
local ring = {}
for i = 1, N do
  ring[i] = coroutine.create(function(token)
    local seen = 0
    while true do
      seen = seen + 1
      token = coroutine.yield(token + i % 3, seen)
    end
  end)
end
local token, laps = 0, 0
for _ = 1, LAPS do
  for i = 1, N do
    local ok, value, seen = coroutine.resume(ring[i], token)
    assert(ok)
    token = value % 100003
    laps = laps + seen
  end
end
print('ring', token, laps)
local function range(n)
  return coroutine.wrap(function() for i = 1, n do coroutine.yield(i, i * i) end end)
end
local sum = 0
for i, square in range(200000) do sum = (sum + i * 3 + square) % 9999991 end
print('generator', sum)
