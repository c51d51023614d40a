-- Files in the executor's folder for scripts. The executor's functions may be missing, raise errors or
-- falsely report success, and other scripts can change the files, so callers must validate the content.
--   files.canRead, canWrite       whether the host has `readfile` and `writefile`
--   files.read(name)              the content, or nil if there is none
--   files.write(name, content)    whether the host claims to have written it
--   files.erase(name)             deletes the file, or empties it on a host that cannot delete
local function callable(read)
  local ok, value = pcall(read)
  return ok and type(value) == 'function' and value or nil
end

local readfile = callable(function() return readfile end)
local writefile = callable(function() return writefile end)
local delfile = callable(function() return delfile end)
local files = { canRead = readfile ~= nil, canWrite = writefile ~= nil }

function files.read(name)
  local ok, content = pcall(readfile, name)
  if ok and type(content) == 'string' and content ~= '' then return content end
end

function files.write(name, content)
  return (pcall(writefile, name, content))
end

function files.erase(name)
  pcall(delfile, name)
  if files.read(name) then files.write(name, '') end
end

return files
