-- Starts a loader from code cached on the host, or caches the code for the next start. A cached file runs
-- only if its tag matches the one in this program. The tag's key is newer than the file, so a file with this
-- tag cannot have been forged. Poly1305 takes about a hundredth of the time of SHA-256. SHA-256 would take
-- more time than the cache saves.
--   record   the loader's record, without its interpreter
--   parts    the loader and, if the script has one, its interpreter: { number, text } to keep them, or
--            { number, key, tag } to read them, with `urls` to download them from if one is missing or was changed
local code, kept, poly1305 = ...
local compile = code.compile

local function bytes(hex)
  return (hex:gsub('..', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- This is checked here because a loader line, for example, is requested before the host is known.
local usesFiles = kept.isOn()

local function textOf(part)
  if part.text then return part.text end
  local text = usesFiles and kept.read(part.number)
  if text and poly1305.boxTag(bytes(part.key), text, '') == bytes(part.tag) then return text end
end

local function keep(parts)
  for i = 1, #parts do kept.write(parts[i].number, parts[i].text) end
end

-- Returns a loader that includes the code, as a function.
local function fetch(urls)
  local whole = {}
  for i = 1, #urls do whole[i] = urls[i] .. (usesFiles and 'cache=write' or '') end
  return code.fetch(whole)
end

return function(record, parts, ...)
  local loader = textOf(parts[1])
  local interpreter = loader and parts[2] and textOf(parts[2])
  if not loader or (parts[2] and not interpreter) then return fetch(parts.urls)(...) end
  if usesFiles and not parts.urls then keep(parts) end
  record.interpreter = interpreter
  return compile(loader, '=loader')(record, ...)
end
