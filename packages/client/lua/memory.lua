-- Keeps a license key on this device: in the executor's folder or, on other hosts, in the user's home directory.
--   memory.isKey(text)               whether the server would look this key up at all
--   memory.read(project)             the key, or nil
--   memory.write(project, key)       whether it was really kept, which some hosts only claim
--   memory.erase(project)            whether it is gone
local host = ...
local match = string.match
local try = host.try
local MAX_KEY_LENGTH = 512
local memory = {}

-- Returns the name of a file in the executor's folder, or nil and a path.
local function place(project)
  local name = 'scriptward-key-' .. project .. '.txt'
  if host.writefile then return name end
  local folder = host.variable('HOME') or host.variable('APPDATA')
  return nil, folder and folder .. '/.' .. name
end

function memory.isKey(text)
  return type(text) == 'string' and #text <= MAX_KEY_LENGTH and not match(text, '[^\32-\126]')
end

function memory.read(project)
  local name, path = place(project)
  local kept = path and host.read(path) or name and host.text(try(host.readfile, name))
  if memory.isKey(kept) then return kept end
end

function memory.write(project, key)
  local name, path = place(project)
  if name then
    pcall(host.writefile, name, key)
  elseif path then
    host.write(path, key)
  end
  return memory.read(project) == key
end

function memory.erase(project)
  local name, path = place(project)
  if path then try(host.os.remove, path) end
  if name then
    try(function() delfile(name) end)
    if memory.read(project) then pcall(host.writefile, name, '') end
  end
  return memory.read(project) == nil
end

return memory
