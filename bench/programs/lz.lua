-- LZ77 with a hash chain: string.byte, string.sub, table of positions.
local function compress(text)
  local out, positions, at, n = {}, {}, 1, #text
  while at <= n do
    local key = text:sub(at, at + 2)
    local candidate = positions[key]
    local length = 0
    if candidate and at - candidate < 4096 then
      while length < 255 and at + length <= n and text:byte(candidate + length) == text:byte(at + length) do
        length = length + 1
      end
    end
    positions[key] = at
    if length >= 4 then
      out[#out + 1] = { at - candidate, length }
      at = at + length
    else
      out[#out + 1] = text:sub(at, at)
      at = at + 1
    end
  end
  return out
end
local function expand(tokens)
  local out = {}
  for i = 1, #tokens do
    local token = tokens[i]
    if type(token) == 'string' then
      out[#out + 1] = token
    else
      local start = #out - token[1]
      for k = 1, token[2] do out[#out + 1] = out[start + k] end
    end
  end
  return table.concat(out)
end
local words, seed, pieces = { 'the ', 'quick ', 'brown ', 'fox ', 'jumps ', 'over ', 'lazy ', 'dogs. ' }, 17, {}
for i = 1, 20000 do
  seed = (seed * 3877 + 29573) % 139968
  pieces[i] = words[seed % #words + 1]
end
local text = table.concat(pieces)
local tokens = compress(text)
assert(expand(tokens) == text)
print('lz', #text, #tokens)
