-- hosts: lua5.4
local function fails(f) local ok, message = pcall(f) print(ok, (tostring(message):gsub('^.-:%d+: ', ''))) end
-- numbers
print(1, 1.0, 1e3, 100, 0x10, 0xA.8p0, 3 // 2, 3.0 // 2, 7 // -2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, 1 / 2, 4 / 2, 2 ^ 2)
print(9007199254740992, 9007199254740993, 9223372036854775807, 9223372036854775808, 0xffffffffffffffff, 0x7fffffffffffffff, -9223372036854775808)
print(math.maxinteger + 1 == math.mininteger, math.maxinteger * 2, math.mininteger // -1, 1e15, 1e100, 123456789012.0, 5.0, 0.0, -0.0, 9007199254740992.0, 9007199254740994.0, 2^53)
print(math.type(1), math.type(1.0), math.type(2^2), math.type(3 // 1), math.type(3 // 1.0), 1 == 1.0, math.type(10 / 2))
print(1 < 1.5, 2^53 == 2^53 + 1, math.maxinteger + 0.0 == math.maxinteger, math.tointeger(3.0), 3 | 0, "10" + 1, "0x10" * 2, "3.0" + 1, 10 .. 20, 1.5 .. '|')
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 62, 1 << 63, 1 << 64, -1 >> 1, 2 ^ 3 | 0, 1 | 2 ~ 3 & 4 << 1, 1 << 2 + 3, 3 ~ ~3, ~~7)
fails(function() return 1 & 1.5 end)
fails(function() return 1 // 0 end) fails(function() return 1 % 0 end) print(1 // 0.0, -1 // 0.0)
print(string.format('%d %5.1f %x', 3, 2, 255), #'abc', utf8.char(228, 8364), utf8.len('aä'), string.pack('<i4', 7):byte(1, -1))
local t = {} t[1.0] = 'a' t[2] = 'b' t[2^53] = 'c' print(t[1], t[2.0], #t, t[2^53 | 0], next({[3.0] = 1}))
-- compared values
local function what(x) if x == 7 then return 'seven', x, 7, 8.0 end if x == 3.0 then return 'three', x, 12 end if x ~= -5 then return 'other', x end return 'minus', x, 100 end
print(what(7)) print(what(7.0)) print(what(3)) print(what(3.0)) print(what(-5)) print(what(-5.0)) print(what('7'))
if not WARD_OBFUSCATED then WARD_ENCNUM = function(n) return n end end
print(WARD_ENCNUM(5.0), WARD_ENCNUM(-7.0), WARD_ENCNUM(7), WARD_ENCNUM(1e15, 'open', 'open'), WARD_ENCNUM(-0.0, 'open', 'open'), WARD_ENCNUM(12, 'open', 'open'))
