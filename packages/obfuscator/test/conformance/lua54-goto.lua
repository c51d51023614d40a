-- hosts: lua5.4
-- goto
local function odd() for i = 1, 5 do if i % 2 == 0 then goto continue end print(i) ::continue:: end end odd()
do local i = 1 ::top:: if i <= 3 then print(i) i = i + 1 goto top end print() end
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto next end if i == 2 then goto done end print(i, j) ::next:: end end ::done:: print()
while true do break; print('x') end ;;; 
