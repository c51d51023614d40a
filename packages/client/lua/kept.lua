-- Caches loader code in the executor's folder, so that later starts do not download it. There are 16 files:
-- four for loaders, then twelve for interpreters. The server numbers code by its SHA-256, so newer code
-- replaces older code without an index.
--   kept.isOn()                whether the host has files and the cache is enabled
--   kept.wish()                what to request: `read` (code that reads these files), `write` (code that
--                              writes them), or nil for a loader that uses no files
--   kept.read(number)          the content of a file, which anyone may have changed; nil if there is none
--   kept.write(number, text)
--   kept.erase()
local files = ...
local LOADERS, FILES = 4, 16
local kept = {}

local function nameOf(number)
  return 'scriptward-code-' .. number .. '.txt'
end

-- Customers and authors can disable the cache by setting the global `ward = { cache = false }`.
local function isOff(read)
  local ok, value = pcall(read)
  return ok and value == false
end

function kept.isOn()
  local isUnwanted = isOff(function() return ward.cache end)
    or isOff(function() return getgenv().ward.cache end)
    or isOff(function() return _G.ward.cache end)
  return files.canRead and files.canWrite and not isUnwanted
end

function kept.wish()
  if not kept.isOn() then return nil end
  for number = 0, LOADERS - 1 do
    if kept.read(number) then return 'read' end
  end
  return 'write'
end

function kept.read(number)
  return files.read(nameOf(number))
end

function kept.write(number, text)
  files.write(nameOf(number), text)
end

function kept.erase()
  for number = 0, FILES - 1 do
    if kept.read(number) then files.erase(nameOf(number)) end
  end
end

return kept
