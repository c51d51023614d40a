-- Stores a license key on this device.
--   memory.isKey(text)               whether the text could be a key at all
--   memory.read(project)             the key, or nil
--   memory.write(project, key)       whether it was actually stored, because some hosts only claim success
--   memory.erase(project)            whether it is gone
local notes = ...
local match = string.match
local MAX_KEY_LENGTH = 512
local memory = {}

local function nameOf(project)
  return 'scriptward-key-' .. project .. '.txt'
end

function memory.isKey(text)
  return type(text) == 'string' and #text <= MAX_KEY_LENGTH and not match(text, '[^\32-\126]')
end

function memory.read(project)
  local kept = notes.read(nameOf(project))
  if memory.isKey(kept) then return kept end
end

function memory.write(project, key)
  notes.write(nameOf(project), key)
  return memory.read(project) == key
end

function memory.erase(project)
  notes.erase(nameOf(project))
  return memory.read(project) == nil
end

return memory
