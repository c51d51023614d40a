-- hosts: luajit
-- Tests LuaJIT extensions: goto and labels, 64-bit and imaginary literals, escapes.
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end print(i, j) ::continue:: end end
do local i = 1 ::top:: if i <= 3 then print('goto', i) i = i + 1 goto top end end
local fs = {} do local k = 0 ::again:: local c = k fs[#fs + 1] = function() return c end k = k + 1 if k < 3 then goto again end end
print(fs[1](), fs[2](), fs[3]())
print(42LL, 0xffffffffffffffffULL, 1LL + 2LL, 10LL / 3LL, 2.5i, 7ull == 7ll, -1LL)
print('\x41\z
       b', '\u{48}')
local goto1 = 1 print(goto1)
goto done
do print('skipped') end
::done:: print('done')
do ::twice:: end do ::twice:: end ::twice::
do goto ends; local x = 1 ::ends:: end
repeat local n = (n or 0) + 1 if n then goto out end until false ::out::
for i = 1, 2 do for j = 1, 2 do if j == 2 then goto next_outer end print('nested', i, j) end ::next_outer:: end
do
  local function seven(x) if x == 7 then return 'seven of them', 4711 end if x ~= 8 then return 'another', 4712 end return 'eight of them', 4713 end
  print(seven(7LL)) print(seven(7ULL)) print(seven(7)) print(seven(8LL)) print(seven(9LL)) print(seven('7'))
end
