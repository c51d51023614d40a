-- hosts: luajit
-- Tests LuaJIT's idiom for `continue`, which runs on every target.
for i = 1, 5 do
  if i % 2 == 0 then goto continue end
  local k = i * 2
  print('odd', k)
  ::continue::
end
local n = 0
while n < 6 do
  n = n + 1
  if n == 2 then goto skip end
  if n == 5 then break end
  for j = 1, 2 do if j == 1 then goto skip_inner end print('inner', n, j) ::skip_inner:: end
  print('outer', n)
  ::skip:: ::also::
end
for _, v in ipairs({ 1, 2, 3 }) do
  do if v == 2 then goto next end end
  local f = function() return v end
  print(f())
  ::next::
end
local function f(list) for _, v in ipairs(list) do if v < 0 then goto continue end if v > 10 then return v end ::continue:: end return 'none' end
print(f({ -1, 5, 20 }), f({ -1 }))
