-- Tests strings: every byte, every escape, long brackets, methods on literals, keys that look like names
-- and keywords.
print('a\tb\\n\'"', "a\"b'", '\65\066\0067', 'nul\0end', #'nul\0end', '\255\254\128')
print([[long
string]], [==[with ]] inside]==], [[
first newline is dropped]], #[[

]])
print('line\
break', 'tab\tbell\a', '\r\n\v\f\b' == '\13\10\11\12\8')
local all = {}
for i = 0, 255 do all[#all + 1] = string.char(i) end
all = table.concat(all)
print(#all, all == '\0\1\2\3\4\5\6\7\8\9\10\11\12\13\14\15\16\17\18\19\20\21\22\23\24\25\26\27\28\29\30\31' .. all:sub(33))
print('\128\129\130\200\240\255' == all:sub(129, 131) .. all:sub(201, 201) .. all:sub(241, 241) .. all:sub(256, 256))
print(('abc'):upper(), ('%d'):format(5), #('x'):rep(10), ('a,b'):find(',', 1, true))
local t = { ['end'] = 1, ['and'] = 2, ['with space'] = 3, ['1'] = 4, [''] = 5, name = 6, ['goto'] = 7, ['continue'] = 8, ['\0'] = 9 }
print(t['end'], t['and'], t['with space'], t['1'], t[''], t.name, t['goto'], t.continue, t['\0'])
t.x, t['y'], t[ [[z]] ] = 'x', 'y', 'z'
print(t.x, t.y, t.z)
print(#'', '' == "", 'a' .. '' .. 'b', 'x' < 'y', 'a' < 'aa', 'Z' < 'a', '' < '\0')
local function f(s) return #s end
print(f'abc', f"de", f[[f]], type{}, #{ f'x', f'yy' })
local o = { m = function(self, s) return s .. '!' end }
print(o:m'hi', o:m"ho", o:m[[hu]])
print(string.byte('A'), ('A'):byte(), ('xyz'):byte(1, -1))
print(('key = value'):match('^(%w+)%s*=%s*(%w+)$'), ('a1b2'):gsub('%d', function(d) return '<' .. d .. '>' end))
print(('hello world'):gsub('o', '0', 1), ('abc'):gsub('', '-'), ('%%'):rep(2))
print(tostring(12) .. '', 1 .. '', 'very ' .. 'long ' .. 'chain ' .. 'of ' .. 'pieces ' .. 1 .. ' ' .. 2)
print('repeated', 'repeated', 'repeated', 'unicode: \195\164\226\130\172', '~}|{zyx`^_', '"\\')
for _, word in ipairs({ 'alpha', 'beta', 'gamma' }) do
  if word == 'alpha' then print('is alpha') elseif word == 'beta' then print('is beta') else print('other', word) end
end
local long = ('x'):rep(300) .. 'END'
print(#long, long:sub(-3), select('#', ('a b c'):byte(1, -1)))
print(("a"):rep(3, nil), ([[b]]):rep(2))
