-- Looks up every library and global that some hosts lack, once and before anything else runs. All access is
-- guarded, because a strict host raises an error for an unknown name. Other files interpret the values.

local error, pcall, type, match = error, pcall, type, string.match

local function try(read, ...)
  local ok, value, second = pcall(read, ...)
  if ok then return value, second end
  return nil
end

-- Returns the first of several globals that is a function.
local function callable(...)
  local found = nil
  for i = select('#', ...), 1, -1 do
    local value = try((select(i, ...)))
    if type(value) == 'function' then found = value end
  end
  return found
end

-- Given pairs of a global's name and a function that reads it, returns the globals that are functions,
-- without duplicates.
local function callables(...)
  local found, seen = {}, {}
  for i = 1, select('#', ...), 2 do
    local name, read = select(i, ...)
    local call = callable(read)
    if call and not seen[call] then
      seen[call] = true
      found[#found + 1] = { name = name, call = call }
    end
  end
  return found
end

-- Trims white space; returns nothing for an empty result.
local function text(value)
  if type(value) ~= 'string' then return nil end
  local trimmed = match(value, '^%s*(.-)%s*$')
  if trimmed ~= '' then return trimmed end
end

-- Describes a value's type for a message.
local function kind(value)
  return value == nil and 'nil' or 'a ' .. type(value)
end

local requests = callables(
  'request', function() return request end,
  'http_request', function() return http_request end,
  'http.request', function() return http.request end,
  'syn.request', function() return syn.request end,
  'fluxus.request', function() return fluxus.request end
)

local host = {
  -- Functions that the loader uses to call the script in protected mode.
  guards = setmetatable({}, { __mode = 'k' }),
  try = try,
  text = text,
  kind = kind,
  game = try(function() return game end),
  io = try(function() return io end) or {},
  os = try(function() return os end) or {},
  debug = try(function() return debug end) or {},
  jit = try(function() return jit end),
  package = try(function() return package end),
  require = callable(function() return require end),
  load = callable(function() return loadstring end, function() return load end),
  requests = requests,
  request = requests[1] and requests[1].call,
  gethwid = callable(
    function() return gethwid end,
    function() return get_hwid end,
    function() return syn.gethwid end
  ),
  identify = callable(function() return identifyexecutor end, function() return getexecutorname end),
  randomBytes = callable(function() return crypt.generatebytes end),
  isNative = callable(function() return iscclosure end),
  connect = callable(
    function() return WebSocket.connect end,
    function() return websocket.connect end,
    function() return syn.websocket.connect end,
    function() return Krnl.WebSocket.connect end
  ),
  spawn = callable(function() return task.spawn end),
  wait = callable(function() return task.wait end),
}

-- Returns a global that the user sets before the loader runs, from any table where the host stores such
-- globals.
function host.setting(name, read)
  local value = try(function() return getgenv()[name] end)
  if value == nil then value = try(read) end
  if value == nil then value = try(function() return _G[name] end) end
  return value
end

-- Libraries that may be installed with the interpreter. Each is looked up once.
local libraries = {}

function host.library(name)
  if libraries[name] == nil then libraries[name] = try(host.require, name) or false end
  return libraries[name] or nil
end

-- Except in Luau, `os.clock` measures CPU time, which does not advance while a script waits.
local clock = try(function() return buffer.create end) and host.os.clock
local latest, correction = 0, 0

local function readClock()
  local socket = host.library('socket')
  return clock and clock() or socket and socket.gettime() or try(host.os.time) or 0
end

-- Monotonic time in seconds since an arbitrary point, unaffected by changes to the host's clock.
function host.now()
  local now = readClock() + correction
  if now < latest then correction, now = correction + latest - now, latest end
  latest = now
  return now
end

-- Waits for that many seconds. A host that can only run commands waits for one short step instead.
function host.pause(seconds)
  local socket = host.library('socket')
  if host.wait then
    host.wait(seconds)
  elseif socket then
    socket.sleep(seconds)
  elseif seconds > 0 then
    try(host.os.execute, host.system() == 'windows' and 'ping -n 2 127.0.0.1 >nul' or 'sleep 0.1')
  end
end

-- Returns whether a host with threads cannot wait here, because a C function or metamethod called the script.
function host.isStuck()
  local canWait = host.spawn and host.wait and try(function() return coroutine.isyieldable end)
  return type(canWait) == 'function' and not canWait()
end

-- Returns a service of the game platform by name.
function host.platform(name)
  return try(function() return host.game:GetService(name) end)
end

function host.variable(name)
  return text(try(host.os.getenv, name))
end

-- Reads the beginning of a file. The files read here are never longer.
function host.read(path)
  local file = try(host.io.open, path, 'rb')
  if not file then return nil end
  local content = try(file.read, file, 4096)
  try(file.close, file)
  return text(content)
end

-- Returns whether everything was written.
function host.write(path, content)
  local file = try(host.io.open, path, 'wb')
  if not file then return false end
  local written = try(file.write, file, content)
  local closed = try(file.close, file)
  return written ~= nil and written ~= false and closed == true
end

-- Returns the output of a command; nil when it cannot be run.
function host.run(command)
  local pipe = try(host.io.popen, command, 'r')
  if not pipe then return nil end
  local output = try(pipe.read, pipe, '*a')
  try(pipe.close, pipe)
  return output
end

-- `windows`, `macos`, `posix`, or `unknown` if the host does not allow file access.
function host.system()
  if host.package and match(host.package.config or '', '^\\') then return 'windows' end
  if host.read('/System/Library/CoreServices/SystemVersion.plist') then return 'macos' end
  return host.package and 'posix' or 'unknown'
end

-- Returns whether a stand-alone interpreter was started with the loader as its program, so that nothing would
-- catch an error. The call stack then consists of functions of the loader and its script, on top of the C
-- function with which the interpreter runs a program. A script that called the loader, or a pcall other than
-- the loader's own, would be in between; a coroutine has no such C function.
function host.isProgram()
  -- Plain `arg` would not work: Lua 5.1 gives functions with `...` a local of that name.
  local getinfo, arguments = host.debug.getinfo, try(function() return _G.arg end)
  local isStarted = type(arguments) == 'table' and arguments[0] and arguments[-1]
  if not (isStarted and getinfo and host.os.exit and host.io.stderr) then return false end
  local level, own, isOwn = 2, getinfo(1, 'S').source, true
  local frame = getinfo(level, 'S')
  while frame and (frame.what ~= 'C' or host.guards[getinfo(level - 1, 'f').func]) do
    if frame.what ~= 'C' then isOwn = frame.source == own or frame.what == 'tail' end
    level = level + 1
    frame = getinfo(level, 'S')
  end
  return isOwn and frame ~= nil and getinfo(level + 1, 'S') == nil
end

-- If the loader is the entire program, prints only this line and exits. Otherwise, raises an error that the
-- caller can catch.
function host.stop(words)
  if host.isProgram() then
    host.io.stderr:write(words, '\n')
    host.os.exit(1)
  end
  error(words, 0)
end

return host
