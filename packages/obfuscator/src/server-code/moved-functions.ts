/** Functions that tests move to the server. Each function takes `(a, b, s, t)`. */

/** Declarations that the functions use. */
export const SHARED = `
local RATES = { gold = 1.25, iron = 0.4, [3] = 7, nested = { deep = { 9, 8 } } }
local NAMES = { 'ann', 'bob', 'cat' }
local floor, format, rep = math.floor, string.format, string.rep
local LIMIT, HALF = 40 * 2, 0.5
local SEPARATOR = rep('-', 3)
local function round(x) return floor(x * 100 + HALF) / 100 end
local function clamp(x, low, high) if x < low then return low elseif x > high then return high end return x end
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function sum(...) local total = 0 for i = 1, select('#', ...) do total = total + (select(i, ...)) end return total end
local function reversed(list) local out = {} for i = #list, 1, -1 do out[#out + 1] = list[i] end return out end
`

/** The bodies of the functions. */
export const BODIES: readonly string[] = [
  'return a + b',
  'return a - b, a * b',
  'return round(a / 3)',
  'return a % 7, b % 3',
  'return a > b, a <= b, a == b, a ~= b',
  'return RATES.gold * a',
  "return RATES[s] or RATES['iron'], RATES[3]",
  'return RATES.nested.deep[b % 2 + 1]',
  'return NAMES[b % 3 + 1], #NAMES',
  'return clamp(a, -LIMIT, LIMIT)',
  'return fib(b % 12)',
  'return sum(a, b, a, b)',
  'return s:upper(), #s, s:sub(2, 3)',
  "return s:gsub('[aeiou]', '*')",
  "return (s:reverse()), s:byte(1), s:find('a', 1, true)",
  "return s .. SEPARATOR .. s, s < 'm'",
  "return format('%09.3f|%s|%d', a, s, b)",
  'return unpack and #t or #t, t[1], t[#t]',
  'local total = 0 for _, v in ipairs(t) do total = total + v end return total',
  'local n = 0 for k in pairs(t) do n = n + k end return n',
  'local out = {} for i = 1, #t do out[i] = t[i] * 2 end return out',
  'return reversed(t)',
  'local copy = {} for i, v in ipairs(t) do copy[i] = v end table.sort(copy) return copy, copy[1]',
  'local copy = {} for i, v in ipairs(t) do copy[i] = v end table.sort(copy, function(x, y) return x > y end) return copy',
  'return { name = s, size = #s, list = t, inner = { a, b } }',
  'if a > 0 then return s elseif a < -100 then return nil, 5 else return false end',
  'if b % 2 == 0 then return end return nil',
  'return nil, a, nil',
  'return nil, nil, nil',
  'local i = 0 while i < b do i = i + 1 if i == 5 then break end end return i',
  'local i = 0 repeat i = i + 1 local stop = i > b until stop return i',
  'local n = 0 for i = 10, 1, -2 do n = n + i end return n',
  'local n = 0 for i = 1, b do for j = i, 3 do n = n + j end end return n',
  'local function inner(x) return x + a end return inner(b), inner(1)',
  "local ok, problem = pcall(error, 'bad') return ok, problem",
  'local ok = pcall(function() local x = nil return x.y end) return ok',
  "return select('#', a, nil, s), (select(2, a, s))",
  'return math.max(a, b, 3), math.min(a, b), math.abs(a)',
  'return math.floor(a), math.ceil(a), math.huge > a',
  'return tonumber(s), tonumber("0x10"), tostring(b), type(t), type(nil)',
  'return a and b, a or b, not a, nil and 1, false or s',
  "return table.concat(t, ','), table.concat(NAMES, '/')",
  "local words = {} for w in (s .. ' ' .. s):gmatch('%a+') do words[#words + 1] = w end return words",
  'local seen, n = {}, 0 for _, v in ipairs(t) do if not seen[v] then seen[v] = true n = n + 1 end end return n',
  'return ((a * 31 + b) * 17) % 1009',
  'local x, y = a, b x, y = y, x return x, y',
  'return a ^ 2, -a, - -b',
  'return #s > 3 and s or RATES',
  "local m = setmetatable({}, { __index = function(_, k) return k .. '!' end }) return m.hey, rawget(m, 'hey')",
  'local acc = {} for c in s:gmatch(".") do acc[c] = (acc[c] or 0) + 1 end return acc',
  'return s:rep(3), s:len(), (s:gsub("%w", string.upper))',
  'local lo, hi = 1, #t while lo < hi do local mid = floor((lo + hi) / 2) if t[mid] < b then lo = mid + 1 else hi = mid end end return lo',
  'local p = 1 for i = 2, b % 10 do p = p * i end return p',
  'local g, x = b + 1, 36 while x ~= 0 do g, x = x, g % x end return g',
  "return ('%q'):format(s), ('x'):byte()",
  'return 1 / 0 > a, a == a, 2 ^ 53',
  'return { a, nil, b }',
  'return "\\0\\255\\1", s',
  'do local a = 5 b = a end return a, b',
  'return (function(...) local n = 0 for _, v in ipairs({ ... }) do n = n + v end return n end)(1, 2, b)',
]
