-- Generates ChaCha20 (RFC 8439 §2.3) for the host's own operators: a function of the 64-byte state and the
-- text, whose length is a multiple of 64 bytes. The rounds are expanded from a template, because each host
-- needs different code to run fast. `plain` is the template for hosts without bit operators or a bit library,
-- if it is included.
local words, plain = ...
local byte, char = string.byte, string.char

-- Column round, then diagonal round (§2.3): positions of the four words of each quarter round.
local QUARTERS = '1 5 9 13 2 6 10 14 3 7 11 15 4 8 12 16 1 6 11 16 2 7 12 13 3 8 9 14 4 5 10 15'

-- Code template for one kind of host: `turn` is A += B; D = (D xor A) rotated left by N for the words numbered A, B
-- and D, R is 32 - N; `output` writes word I of the block at p. Where words may grow beyond 32 bits, twenty rounds
-- add less than 2^38, and the next xor takes the low 32 bits.
local WORDS = {
  load = 'local xI=s[I]',
  turn = 'xA=xA+xB xD=ror(xor(xD,xA),R)',
  output = 'do local a,b,c,d=byte(text,p+4*I-4,p+4*I-1)local y=xor(xI+s[I],a+b*256+c*65536+d*16777216)'
    .. 'out[n+I]=char(band(y,255),band(shr(y,8),255),band(shr(y,16),255),band(shr(y,24),255))end ',
}
local KINDS = {
  bit = WORDS,
  bit32 = WORDS,
  operators = {
    load = WORDS.load,
    turn = 'xA=xA+xB xD=(xD~xA)&m xD=(xD<<N|xD>>R)&m ',
    output = 'out[n+I]=pack(f,(xI+s[I]~unpack(f,text,p+4*I-4))&m)',
  },
}

local function turned(kind, a, b, d, left)
  local code = kind.turn .. (kind[left] or '')
  return (code:gsub('[ABDNR]', { A = a, B = b, D = d, N = left, R = 32 - left }))
end

local function forEachWord(template)
  local code = ''
  for i = 1, 16 do
    code = code .. template:gsub('I', i) .. ' '
  end
  return code
end

return function()
  local kind, rounds = KINDS[words.kind] or plain, ''
  for a, b, c, d in QUARTERS:gmatch('(%d+) (%d+) (%d+) (%d+)') do
    rounds = rounds .. turned(kind, a, b, d, 16) .. turned(kind, c, d, b, 12)
      .. turned(kind, a, b, d, 8) .. turned(kind, c, d, b, 7)
  end
  local run = words.compile('local byte,char,pack,unpack,xor,band,shr,ror,X=... local m,f=4294967295,"<I4" '
    .. 'return function(s,text)local out,n={},0 local u,v,w,z for p=1,#text,64 do '
    .. forEachWord(kind.load) .. 'for _=1,10 do ' .. rounds .. 'end ' .. forEachWord(kind.output)
    .. 's[13]=s[13]+1 n=n+16 end return out end')(byte, char, string.pack, string.unpack,
    words.bxor, words.band, words.rshift, words.rrotate, words.bytes)
  return function(state, text)
    return table.concat(run(words.parse(state), text))
  end
end
