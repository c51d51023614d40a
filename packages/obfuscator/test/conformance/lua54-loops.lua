-- hosts: lua5.4
local function fails(f) local ok, message = pcall(f) print(ok, (tostring(message):gsub('^.-:%d+: ', ''))) end
local function write(v) print('at', v) end
-- loops
for i = 1, 3 do write(i) end for i = 1.0, 3 do write(i) end for i = 1, 3.5 do write(i) end for i = 1, 2, 0.5 do write(i) end print()
local n = math.maxinteger local count = 0
for i = n - 1, n do count = count + 1 if count > 5 then break end write(i) end print(count)
count = 0 for i = math.mininteger + 1, math.mininteger, -1 do count = count + 1 if count > 5 then break end write(i) end print(count)
local step = 2 count = 0 for i = n - 3, n, step do count = count + 1 if count > 5 then break end write(i) end print(count)
step = -3 for i = 10, 1, step do write(i) end print()
for i = 3, 1 do print('never') end for i = 1, math.huge do if i > 2 then break end write(i) end print() fails(function() for i = 1, 10, 0 do end end)
for i = 1, 3 do local k = i i = i * 10 write(i) write(k) end print()
fails(function() for i = '1', 2 do end end)
