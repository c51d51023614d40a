-- ChaCha20 (RFC 8439 §2.3) on Luau's buffers: a function of the 64-byte state and the text, whose length is a
-- multiple of 64 bytes; nothing on other hosts. Luau calls bit32 functions fast only through locals that are
-- assigned directly from bit32, so these assignments are written out.
local words = ...
if words.kind ~= 'bit32' or not words.known(function() return buffer end) then return nil end

local bxor, lrotate = bit32.bxor, bit32.lrotate
local get, put = buffer.readu32, buffer.writeu32
return function(state, text)
  local s, source = words.parse(state), buffer.fromstring(text)
  local out = buffer.create(#text)
  for p = 0, #text - 1, 64 do
    local x1, x2, x3, x4, x5, x6, x7, x8 = s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]
    local x9, x10, x11, x12, x13, x14, x15, x16 = s[9], s[10], s[11], s[12], s[13], s[14], s[15], s[16]
    for _ = 1, 10 do
      x1 = x1 + x5 x13 = lrotate(bxor(x13, x1), 16) x9 = x9 + x13 x5 = lrotate(bxor(x5, x9), 12)
      x1 = x1 + x5 x13 = lrotate(bxor(x13, x1), 8) x9 = x9 + x13 x5 = lrotate(bxor(x5, x9), 7)
      x2 = x2 + x6 x14 = lrotate(bxor(x14, x2), 16) x10 = x10 + x14 x6 = lrotate(bxor(x6, x10), 12)
      x2 = x2 + x6 x14 = lrotate(bxor(x14, x2), 8) x10 = x10 + x14 x6 = lrotate(bxor(x6, x10), 7)
      x3 = x3 + x7 x15 = lrotate(bxor(x15, x3), 16) x11 = x11 + x15 x7 = lrotate(bxor(x7, x11), 12)
      x3 = x3 + x7 x15 = lrotate(bxor(x15, x3), 8) x11 = x11 + x15 x7 = lrotate(bxor(x7, x11), 7)
      x4 = x4 + x8 x16 = lrotate(bxor(x16, x4), 16) x12 = x12 + x16 x8 = lrotate(bxor(x8, x12), 12)
      x4 = x4 + x8 x16 = lrotate(bxor(x16, x4), 8) x12 = x12 + x16 x8 = lrotate(bxor(x8, x12), 7)
      x1 = x1 + x6 x16 = lrotate(bxor(x16, x1), 16) x11 = x11 + x16 x6 = lrotate(bxor(x6, x11), 12)
      x1 = x1 + x6 x16 = lrotate(bxor(x16, x1), 8) x11 = x11 + x16 x6 = lrotate(bxor(x6, x11), 7)
      x2 = x2 + x7 x13 = lrotate(bxor(x13, x2), 16) x12 = x12 + x13 x7 = lrotate(bxor(x7, x12), 12)
      x2 = x2 + x7 x13 = lrotate(bxor(x13, x2), 8) x12 = x12 + x13 x7 = lrotate(bxor(x7, x12), 7)
      x3 = x3 + x8 x14 = lrotate(bxor(x14, x3), 16) x9 = x9 + x14 x8 = lrotate(bxor(x8, x9), 12)
      x3 = x3 + x8 x14 = lrotate(bxor(x14, x3), 8) x9 = x9 + x14 x8 = lrotate(bxor(x8, x9), 7)
      x4 = x4 + x5 x15 = lrotate(bxor(x15, x4), 16) x10 = x10 + x15 x5 = lrotate(bxor(x5, x10), 12)
      x4 = x4 + x5 x15 = lrotate(bxor(x15, x4), 8) x10 = x10 + x15 x5 = lrotate(bxor(x5, x10), 7)
    end
    put(out, p + 0, bxor(get(source, p + 0), x1 + s[1]))
    put(out, p + 4, bxor(get(source, p + 4), x2 + s[2]))
    put(out, p + 8, bxor(get(source, p + 8), x3 + s[3]))
    put(out, p + 12, bxor(get(source, p + 12), x4 + s[4]))
    put(out, p + 16, bxor(get(source, p + 16), x5 + s[5]))
    put(out, p + 20, bxor(get(source, p + 20), x6 + s[6]))
    put(out, p + 24, bxor(get(source, p + 24), x7 + s[7]))
    put(out, p + 28, bxor(get(source, p + 28), x8 + s[8]))
    put(out, p + 32, bxor(get(source, p + 32), x9 + s[9]))
    put(out, p + 36, bxor(get(source, p + 36), x10 + s[10]))
    put(out, p + 40, bxor(get(source, p + 40), x11 + s[11]))
    put(out, p + 44, bxor(get(source, p + 44), x12 + s[12]))
    put(out, p + 48, bxor(get(source, p + 48), x13 + s[13]))
    put(out, p + 52, bxor(get(source, p + 52), x14 + s[14]))
    put(out, p + 56, bxor(get(source, p + 56), x15 + s[15]))
    put(out, p + 60, bxor(get(source, p + 60), x16 + s[16]))
    s[13] = s[13] + 1
  end
  return buffer.tostring(out)
end
