-- Collects the loader's report about its host: runtime, executor, capabilities, game IDs and the hashed
-- fingerprint components (client protocol, section 14). Raw identifiers never leave this file. If the host
-- can read files, machine.lua provides them.

local host, notes, entropy, hash, base64, machine = ...
local tostring, type, match, gsub, sub, format = tostring, type, string.match, string.gsub, string.sub, string.format
local try, text = host.try, host.text

local INSTALL_FILE = 'scriptward-install-id'

-- Maps denial reasons to messages that replace the server's messages. For these denials, only the loader
-- knows the cause.
local problems = {}
local environment = { problems = problems }

-- Returns one of the names that the hello accepts as `rt`.
function environment.runtime()
  if host.jit then return 'luajit' end
  if _VERSION == 'Luau' then return 'luau' end
  local minor = tonumber(match(tostring(_VERSION), '^Lua 5%.(%d+)$')) or 1
  return 'lua5.' .. (minor > 4 and 4 or minor)
end

local function short(value)
  return value and sub(gsub(tostring(value), '[^\32-\126]', '?'), 1, 64) or nil
end

function environment.host()
  local name, version = try(host.identify)
  local system = host.game and 'game' or host.system()
  return {
    executor = short(text(name)) or environment.runtime(),
    version = short(version and tostring(version)) or '',
    platform = system,
  }
end

-- Returns the user's key from a global or an environment variable. Unlike arguments, environment variables
-- are not visible to other users in process lists. Returns false and a message if the global has the wrong
-- type: as a number, for example, the key may have lost leading zeros.
function environment.userKey()
  local given = host.setting('script_key', function() return script_key end) or nil
  if given ~= nil and type(given) ~= 'string' then
    local form = 'a string in quotes, such as script_key = "your key"'
    return false, 'script_key must be ' .. form .. ', but it is ' .. host.kind(given) .. '.'
  end
  local key = text(given) or host.variable('SCRIPT_KEY')
  if not key then return nil end
  local isLong = #key > 512
  if not isLong and not match(key, '[^\32-\126]') then return key end
  local what = isLong and 'is longer than any license key' or 'contains characters that no license key has'
  problems.invalid_key = (text(given) and 'script_key ' or 'SCRIPT_KEY ') .. what .. '. Copy it again.'
end

-- Returns the user's language without its region, such as "pt" for "pt-br" or "pt_BR.UTF-8".
function environment.language()
  local name = try(function() return host.platform('LocalizationService').RobloxLocaleId end)
  return match(text(name) or host.variable('LC_ALL') or host.variable('LANG') or '', '^%a%a%a?')
end

local function identifier(value)
  if type(value) == 'number' then return format('%.0f', value) end
  return text(value)
end

function environment.game()
  if not host.game then return nil end
  local ids = {
    place_id = identifier(try(function() return host.game.PlaceId end)),
    job_id = identifier(try(function() return host.game.JobId end)),
    game_user_id = identifier(try(function() return host.platform('Players').LocalPlayer.UserId end)),
  }
  for name, id in pairs(ids) do ids[name] = short(id) end
  return next(ids) and ids or nil
end

-- Each bit represents a function that the host may have replaced. The server only logs the bits.
local HOOKABLE = {
  { 1, host.request },
  { 2, host.load },
  { 4, pcall },
  { 8, string.char },
  { 16, string.byte },
  { 32, math.floor },
}

local function isNative(value)
  if host.isNative then return try(host.isNative, value) == true end
  if host.debug.info then return try(function() return host.debug.info(value, 's') == '[C]' end) end
  if host.debug.getinfo then return try(function() return host.debug.getinfo(value, 'S').what == 'C' end) end
end

function environment.hints()
  local hooked = 0
  for i = 1, #HOOKABLE do
    local entry = HOOKABLE[i]
    if entry[2] and isNative(entry[2]) == false then hooked = hooked + entry[1] end
  end
  return {
    hooked = hooked,
    c_request = host.request and isNative(host.request),
    c_loadstring = host.load and isNative(host.load),
  }
end

local function hardwareId()
  if not host.gethwid then return nil end
  local ok, value = pcall(host.gethwid)
  local id = ok and text(value) or nil
  if id then return id end
  local what = 'raised an error'
  if ok and type(value) == 'string' then
    what = 'returned an empty string'
  elseif ok then
    what = 'returned ' .. host.kind(value) .. (value == nil and '' or ' instead of a string')
  end
  problems.fingerprint_missing = "Your executor's gethwid function " .. what .. ", so your device can't be identified. "
    .. "Use an executor where it works, or ask the author to allow devices that can't be identified."
end

local function strongValues(system)
  return {
    gethwid = hardwareId(),
    client_id = text(try(function() return host.platform('RbxAnalyticsService'):GetClientId() end)),
    machine_id = machine and machine.id(system),
    product_uuid = machine and machine.product(system),
  }
end

-- A random ID for this installation. It is created only if no strong component exists, so that the loader
-- leaves no files on machines that do not need it.
local function installId(needed)
  local known = notes.read(INSTALL_FILE)
  if known or not needed then return known end
  local fresh = base64.encode(hash.sha256('lp1 install' .. entropy('')))
  if notes.write(INSTALL_FILE, fresh) then return fresh end
end

-- Maps component names to 22 characters that are meaningless outside the project.
function environment.fingerprint(project_id)
  local system = host.system()
  local hashes = {}
  local function add(values)
    for name, value in pairs(values) do
      local component = hash.sha256('lp1 fp\0' .. project_id .. '\0' .. name .. '\0' .. value)
      hashes[name] = base64.encode(sub(component, 1, 16))
    end
  end
  add(strongValues(system))
  local needed = next(hashes) == nil
  if machine then add(machine.weak()) end
  add({ install_id = installId(needed) })
  return hashes
end

return environment
