-- Checks whether a boot record was made for a script by the server whose keys a loader file has (client protocol §7).
--   isPinned(record, text, boot)      record: { pins, script_id }, the pins in base64url; the text as received, and
--                                     its decoded content
local hash, verify, base64 = ...
local match, sub = string.match, string.sub

-- The signature covers the entire text except its last field, so nothing unsigned can be added that would be read.
local function isSigned(pins, text)
  local signed, encoded = match(text, '^(.*),"sig":"([%w_-]+)"}%s*$')
  local signature = encoded and base64.decode(encoded)
  for i = 1, signature and #pins or 0 do
    if verify(base64.decode(pins[i]), 'lp1 boot\0' .. signed .. '}', signature) then return true end
  end
  return false
end

return function(record, text, boot)
  local tag = sub(hash.sha256(record.script_id), 1, 4)
  return sub(base64.decode(boot.boot), 13, 16) == tag and isSigned(record.pins, text)
end
