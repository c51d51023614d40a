-- Opens a granted payload: fetches, decrypts, joins and unpacks its boxes (client protocol §8, §10).
--   open(grant, key, box)   box(n) returns box n: 0 is the one inside the reply, chunks count from 1
--                           the payload's text, or nil and an error message
local cipher, lz4 = ...
local concat = table.concat

return function(grant, key, box)
  local payload = grant.payload
  if payload.kind ~= 'source' and payload.kind ~= 'vm' then
    return nil, 'this loader is too old for this script; get a new one'
  end
  local first = payload.chunks > 0 and 1 or 0
  local last = payload.chunks
  local parts = {}
  for n = first, last do
    local sealed = box(n)
    local part = sealed and cipher.open(key, n, 'lp1 payload' .. grant.exec, sealed)
    if not part then return nil, 'the payload is not authentic' end
    parts[#parts + 1] = part
  end
  local text = concat(parts)
  if payload.z == 'lz4' then text = lz4.decode(text, payload.size) end
  if not text or #text ~= payload.size then return nil, 'the payload is damaged' end
  return text
end
