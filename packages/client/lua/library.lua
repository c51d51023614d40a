-- The library for script hubs (client protocol, Library): checks keys, remembers a valid key, and runs the
-- hub's script for this game. The record is { urls, pins, project }. A response that the server did not sign
-- for this request is a failed check, never a decision about the key.
local host, files, environment, transport, entropy, hash, base64, json, isSigned, memory, results, kept = ...
local error, select, type, tostring = error, select, type, tostring
local match, sub, format, concat = string.match, string.sub, string.format, table.concat
local try, failed = host.try, results.failed

local FEWEST_TRIES = 3
-- The page's ticket for this device is valid for 30 minutes.
local PAGE_SECONDS = 600
local NO_PROJECT = 'Set ward.project to the ID of your project, such as "prj_...".'

-- Loader build for each runtime. Other runtimes get the build for all hosts.
local BUILDS = { luau = 'luau', luajit = 'jit', ['lua5.1'] = '51', ['lua5.4'] = '54' }

-- State: the hash of the last nonce; this device's components and the last valid key, both by project; and
-- the get-key page from the last answer.
local seed, prints, checked, page = '', {}, {}, {}

local function fail(words)
  error('scriptward: ' .. words, 0)
end

local function projectOf(ward)
  local id = ward.project
  return type(id) == 'string' and #id <= 64 and match(id, '^[%w_-]+$') or nil
end

-- Returns the first response from any URL, or nil and an error message. A server error counts as unreachable.
local function send(urls, method, path, body)
  local problem
  for i = 0, math.max(#urls, FEWEST_TRIES) - 1 do
    local status, text = transport.send(method, urls[i % #urls + 1] .. path, body)
    if status and status < 500 then return status, text end
    problem = status and 'HTTP ' .. status or tostring(text)
    if status == false then break end
  end
  return nil, problem
end

local function question(project, key)
  seed = hash.sha256('lp1 library' .. entropy(seed))
  prints[project] = prints[project] or environment.fingerprint(project)
  return base64.encode(json.encode({
    project_id = project,
    key = key,
    nonce = base64.encode(sub(seed, 1, 24)),
    rt = environment.runtime(),
    host = environment.host(),
    fp = prints[project],
    lang = environment.language(),
  }))
end

local function ask(record, project, key)
  local body = question(project, key)
  local status, text = send(record.urls, 'POST', '/library/check', body)
  if not status then return failed('unreachable', 'The server cannot be reached (' .. text .. ').') end
  local answer = status == 200 and isSigned(record.pins, 'lp1 library', text) and json.decode(text)
  if not answer then return results.refusal(status, text) end
  if answer.asked ~= base64.encode(hash.sha256('lp1 asked\0' .. body)) then
    return failed('forged', 'The response belongs to a different request.')
  end
  -- Answers to rate-limited checks do not include the page.
  if answer.reason ~= 'rate_limited' then page = { project = project, url = answer.get_key, at = host.now() } end
  local result = results.of(answer)
  if result.ok then checked[project] = key end
  return result
end

local function check(record, project, given)
  if not project then return failed('refused', NO_PROJECT) end
  local key, wrong = results.readKey(given)
  return wrong or ask(record, project, key)
end

-- Copies or opens a URL if the host can.
local function hand(url)
  local function call(read)
    return try(function()
      read()(url)
      return true
    end)
  end
  if call(function() return setclipboard end) or call(function() return toclipboard end) then return 'copied' end
  if call(function() return openurl end) then return 'opened' end
end

local function getKey(record, project)
  if not project then return nil, NO_PROJECT end
  local result
  if page.project ~= project or host.now() - page.at > PAGE_SECONDS then
    page = {}
    result = ask(record, project, '')
  end
  if page.url then return page.url, hand(page.url) end
  return nil, page.project and 'This project has no page where you can get a key.' or result.message
end

-- Stores the key where loaders look for it. Without a key, clears every place where it may have been set.
local function setKey(key)
  local function put(read)
    return try(function()
      read().script_key = key
      return true
    end)
  end
  if put(function() return getgenv() end) and key ~= nil then return end
  try(function() script_key = key end)
  put(function() return _G end)
end

local function digits(read)
  local id = try(read)
  if type(id) == 'number' then id = format('%.0f', id) end
  return type(id) == 'string' and match(id, '^%d+$') or false
end

local function withQuery(path, values)
  local parts = {}
  for i = 1, #values, 2 do
    if values[i + 1] then parts[#parts + 1] = values[i] .. '=' .. values[i + 1] end
  end
  return #parts > 0 and path .. '?' .. concat(parts, '&') or path
end

-- Returns the path of the loader for the hub's script or for this game's script. Key windows written for
-- another service may still set that service's script ID, which the hub can map to its own.
local function pathOf(ward)
  local script, project = ward.script_id, projectOf(ward)
  local build, wish = BUILDS[environment.runtime()] or false, ward.cache ~= false and kept.wish() or false
  if type(ward.scripts) == 'table' and script ~= nil then script = ward.scripts[script] or script end
  if type(script) == 'string' and match(script, '^scr_%w+$') then
    return withQuery('/loader/' .. script, { 'rt', build, 'cache', wish })
  end
  if not project then fail(NO_PROJECT) end
  local place = digits(function() return host.game.PlaceId end)
  local game = digits(function() return host.game.GameId end)
  local lang = environment.language() or false
  return withQuery('/hub/' .. project, { 'place', place, 'game', game, 'rt', build, 'lang', lang, 'cache', wish })
end

local function fetch(record, path, what)
  local status, text = send(record.urls, 'GET', path)
  if not status then fail('the server cannot be reached (' .. text .. ')') end
  if not host.load then fail('your executor has no loadstring function, which scripts require') end
  -- If no loader can be served, the response is Lua code that raises an error.
  local chunk = (status == 200 or status == 429) and text ~= '' and host.load(text, '=' .. what)
  if not chunk and what == 'window' then fail(results.refusal(status, text).message) end
  return chunk or fail('the server sent no loader (HTTP ' .. status .. ')')
end

-- Returns the key in the line that started the hub.
local function givenKey()
  local given = host.setting('script_key', function() return script_key end) or host.variable('SCRIPT_KEY')
  return (results.readKey(given))
end

-- Returns a key and the result of its check: the given key or, if that key is denied, the remembered key.
local function findKey(record, project)
  local given, kept = givenKey(), memory.read(project)
  local result = given and ask(record, project, given)
  if not kept or kept == given or result and result.code <= 0 then return given, result end
  return kept, ask(record, project, kept)
end

-- With a valid key, the window is not downloaded at all.
local function openWindow(record, ward, options)
  local project = projectOf(ward) or fail(NO_PROJECT)
  local known, result = findKey(record, project)
  local function accept(...)
    if options.on_valid then return options.on_valid(...) end
    return ward.load((select(2, ...)))
  end
  if result and result.ok then return accept(result, known) end
  host.hasScreen = try(function() return Instance.new end) ~= nil
  if not (host.hasScreen or host.io.read) then fail('this host has neither a screen nor a terminal for the key window') end
  local path = withQuery('/library/window', { 'project', project, 'lang', environment.language() or false })
  local open = fetch(record, path, 'window')({ host = host, files = files, base64 = base64, hand = hand, accept = accept })
  return open(ward, options, known, result)
end

-- Library functions can be called with `.` or `:`.
local function withoutSelf(ward)
  for name, call in pairs(ward) do
    if type(call) == 'function' then
      ward[name] = function(first, ...)
        if first == ward then return call(...) end
        return call(first, ...)
      end
    end
  end
  return ward
end

return function(record)
  local ward = { project = record.project }

  function ward.check(key)
    return check(record, projectOf(ward), key)
  end

  function ward.get_key()
    return getKey(record, projectOf(ward))
  end

  function ward.load(key, ...)
    if key ~= nil then setKey(key) end
    return fetch(record, pathOf(ward), 'loader')(...)
  end

  function ward.remember(key)
    local project, known = projectOf(ward), results.readKey(key)
    return project ~= nil and known ~= nil and memory.write(project, known)
  end

  function ward.remembered()
    local project = projectOf(ward)
    return project and memory.read(project)
  end

  function ward.forget()
    kept.erase()
    local project = projectOf(ward)
    if not project then return false end
    -- Also clears the key that started the script, because the window looks there first.
    if givenKey() == (memory.read(project) or '') then setKey(nil) end
    return memory.erase(project)
  end

  function ward.window(options)
    return openWindow(record, ward, options or {})
  end

  -- These functions have the names used by other services' libraries.
  function ward.check_key(key)
    local result, data = ward.check(key), {}
    if result.ok then
      data = { auth_expire = result.expires or -1, total_executions = result.executions, note = result.note or '' }
    end
    return { code = result.name, message = result.message, data = data }
  end

  function ward.load_script(...)
    return ward.load(checked[projectOf(ward)], ...)
  end

  return withoutSelf(ward)
end
