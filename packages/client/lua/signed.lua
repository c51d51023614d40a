-- Checks whether a server signed a JSON text whose last field is the signature `sig` (client protocol §7).
--   isSigned(pins, label, text)      pins: the server's public keys in base64url; text: exactly as received
local verify, base64 = ...
local match = string.match

-- The signature covers the entire text except its last field, so that no unsigned field can be
-- added to it.
return function(pins, label, text)
  local signed, encoded = match(text, '^(.*),"sig":"([%w_-]+)"}%s*$')
  local signature = encoded and base64.decode(encoded)
  for i = 1, signature and #pins or 0 do
    if verify(base64.decode(pins[i]), label .. '\0' .. signed .. '}', signature) then return true end
  end
  return false
end
