-- Checks whether a boot record is for the script and from the server that a loader file trusts (client
-- protocol §7).
--   isPinned(record, text, boot)      record: { pins, script_id }, the pins in base64url; the text as received, and
--                                     its decoded content
local hash, isSigned, base64 = ...
local sub = string.sub

return function(record, text, boot)
  local tag = sub(hash.sha256(record.script_id), 1, 4)
  return sub(base64.decode(boot.boot), 13, 16) == tag and isSigned(record.pins, 'lp1 boot', text)
end
