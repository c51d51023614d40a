-- Short strings stored on this device: files in the executor's folder or, on other hosts, hidden files in the
-- user's home directory.
--   notes.read(name)             the text without surrounding white space, or nil
--   notes.write(name, text)      whether the host claims to have stored it
--   notes.erase(name)
local host, files = ...
local try = host.try
local notes = {}

local function pathOf(name)
  if files.canWrite then return nil end
  local folder = host.variable('HOME') or host.variable('APPDATA')
  return folder and folder .. '/.' .. name
end

function notes.read(name)
  local path = pathOf(name)
  return path and host.read(path) or host.text(files.read(name))
end

function notes.write(name, text)
  local path = pathOf(name)
  if path then return host.write(path, text) end
  return files.write(name, text)
end

function notes.erase(name)
  local path = pathOf(name)
  if path then
    try(host.os.remove, path)
  else
    files.erase(name)
  end
end

return notes
