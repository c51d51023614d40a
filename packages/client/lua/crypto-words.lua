-- 32-bit words with the host's own operators or library: operators (Lua 5.3+), bit32 (Luau, 5.2) or bit
-- (LuaJIT). On other hosts, crypto-words-plain.lua uses arithmetic. Like every file here, it is a chunk that
-- receives its dependencies as `...` and returns one table. It requires nothing and writes no globals.
--   words.kind                            'operators' | 'bit32' | 'bit' | 'plain'
--   words.compile(text)                   load or loadstring; nil on a host without either
--   words.bxor(a, b) band(a, b)           any integers below 2^53 in magnitude; only the low 32 bits count
--   words.rrotate(a, n) rshift(a, n)      a as above
--   words.bytes                           plain only: bytes[256 * a + b] is a xor b
--   words.parse(text)                     list of the little-endian words of a text, 4 bytes each
--   words.known(read)                     the result of read(), or nil: strict hosts raise errors for unknown names
local function known(read)
  local ok, value = pcall(read)
  return ok and value or nil
end

local compile = known(function() return loadstring end) or known(function() return load end)
local words = { kind = 'plain', compile = compile, known = known }
local bit = known(function() return bit end)

local native = compile and compile('return function(a,b)return(a~b)&4294967295 end,'
  .. 'function(a,b)return a&b&4294967295 end,'
  .. 'function(a,n)a=a&4294967295 return(a>>n|a<<(32-n))&4294967295 end,'
  .. 'function(a,n)return(a&4294967295)>>n end')

if native then
  words.kind = 'operators'
  words.bxor, words.band, words.rrotate, words.rshift = native()
elseif known(function() return bit32 end) then
  words.kind = 'bit32'
  words.bxor, words.band, words.rrotate, words.rshift = bit32.bxor, bit32.band, bit32.rrotate, bit32.rshift
elseif bit and bit.ror then
  words.kind = 'bit'
  words.bxor, words.band, words.rrotate, words.rshift = bit.bxor, bit.band, bit.ror, bit.rshift
end

function words.parse(text)
  local list = {}
  for i = 1, #text, 4 do
    local a, b, c, d = text:byte(i, i + 3)
    list[#list + 1] = a + b * 256 + c * 65536 + d * 16777216
  end
  return list
end

return words
