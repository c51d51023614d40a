-- Numbers modulo 2^bits - fold as lists of scaled doubles: limb i is a multiple of 2^offset(i), so that
-- products need no shifts and every sum stays exact below 53 bits. This file reads, carries and writes
-- numbers, once per operation. Multiplications are unrolled where they are used.
--   field(offsets, fold)     offsets: { 0, ..., bits }, one more than there are limbs
--     .read(text)              limbs of a little-endian text of up to #bits
--     .write(limbs)            little-endian bytes of the one representative in [0, 2^bits - fold)
return function(offsets, fold)
  local count, bounds = #offsets - 1, {}
  for i = 1, count + 1 do
    bounds[i] = 2 ^ offsets[i]
  end

  -- Brings every limb into [0, next offset) and returns the overflow of the top limb.
  local function carry(limbs)
    local over = 0
    for i = 1, count do
      local whole = limbs[i] + over
      limbs[i] = whole % bounds[i + 1]
      over = whole - limbs[i]
    end
    return over
  end

  local function settle(limbs)
    local over = carry(limbs)
    limbs[1] = limbs[1] + over * fold / bounds[count + 1]
  end

  local function read(text)
    local limbs, limb = {}, 1
    for i = 1, count do
      limbs[i] = 0
    end
    for i = 1, #text do
      while limb < count and offsets[limb + 1] <= 8 * i - 8 do
        limb = limb + 1
      end
      limbs[limb] = limbs[limb] + text:byte(i) * 2 ^ (8 * i - 8)
    end
    settle(limbs)
    return limbs
  end

  local function write(limbs)
    for _ = 1, 3 do
      settle(limbs)
    end
    local reduced = {}
    for i = 1, count do
      reduced[i] = limbs[i]
    end
    reduced[1] = reduced[1] + fold
    if carry(reduced) == 0 then
      reduced = limbs
    end
    local bytes, bits, pending = {}, 0, 0
    for i = 1, count do
      pending = pending + reduced[i] / bounds[i] * 2 ^ bits
      bits = bits + offsets[i + 1] - offsets[i]
      while bits >= 8 or (i == count and bits > 0) do
        local low = pending % 256
        bytes[#bytes + 1] = low
        pending, bits = (pending - low) / 256, bits - 8
      end
    end
    return bytes
  end

  return { read = read, write = write }
end
