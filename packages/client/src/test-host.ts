/**
 * A simulated executor for trying protected scripts, in the dashboard and on the command line. It has a
 * request function, files that exist for one run, threads, and a game whose objects exist but do nothing. The
 * caller provides Luau and network access, and limits the run.
 */

export type Kind = 'out' | 'warn' | 'error'

export type TestRun = {
  /** A loader or the script itself; `name` is used in error messages. */
  readonly text: string
  readonly name: string
  readonly key: string
  /** Identifies the device of the run. */
  readonly device: string
}

export type Outside = {
  /** Called for each line that the script prints and for each error in one of its threads. */
  emit(kind: Kind, line: string): void
  /** Throws if a request is rejected. */
  ask(url: string, method: string, body: string): Promise<Answer>
}

/** The fields of a `Response` that a script can use. */
export type Answer = { readonly status: number; text(): Promise<string> }

type Chunk = (...given: unknown[]) => unknown
/** The parts of luau-web's `LuauState` used here. */
export type LuauMaker = {
  createAsync(env: object): Promise<{
    loadstring(text: string, name: string, isStrict: true): Chunk
    loadstring(text: string, name: string): Chunk | string
  }>
}

/**
 * Runs until the script and all of its threads have ended. Returns the error that ended the script, or null.
 * JavaScript can pass only strings and functions to Luau. They are passed as arguments, because the script
 * could access globals.
 */
export async function runInTestHost(
  luau: LuauMaker,
  run: TestRun,
  { emit, ask }: Outside,
): Promise<string | null> {
  let problem: string | null = null
  const finish = (error: unknown) => {
    problem = error instanceof Error ? error.message : String(error)
  }
  try {
    const state = await luau.createAsync({})
    const given: Readonly<Record<string, string>> = { ...run, classes: CLASSES }
    const take = (what: unknown) => given[String(what)]
    const compile = (text: unknown, name: unknown) => state.loadstring(String(text), String(name))
    const print = (kind: unknown, line: unknown) => emit(kind as Kind, String(line))
    await state.loadstring(HOST, 'host', true)(take, compile, print, sender(ask), sleep, finish)
  } catch (error) {
    finish(error)
  }
  return problem
}

function sender(ask: Outside['ask']) {
  return async (url: unknown, method: unknown, body: unknown): Promise<string> => {
    try {
      const answer = await ask(String(url), String(method), String(body))
      return `${answer.status}\n${await answer.text()}`
    } catch (error) {
      return String(error)
    }
  }
}

function sleep(ms: unknown): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Number(ms)))
}

/** Returns the part of the URL after a server's client URL. A test run cannot reach any other URL. */
export function clientPath(address: string, service: string): string {
  const { pathname, search } = new URL(address, service)
  if (pathname.startsWith('/client/v1/')) return pathname + search
  throw new Error("test runs can only reach this server's loader")
}

const HOST = `
local take, compile, emit, send, sleep, finish = ...
local create, resume, yield, running = coroutine.create, coroutine.resume, coroutine.yield, coroutine.running
local clock = os.clock
local files = {}
-- Threads of the script, and those of the loader, such as its heartbeats, which end with the script.
local waiting, background = {}, {}

local function worded(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  return table.concat(words, ' ')
end
function print(...) emit('out', worded(...)) end
function warn(...) emit('warn', worded(...)) end

function loadstring(text, name)
  local chunk = compile(text, name or 'chunk')
  if type(chunk) == 'string' then return nil, chunk end
  return chunk
end
local ofScript
function request(message)
  -- The loader took its own before it sends anything, and the script begins afterwards.
  task = ofScript
  local answer = send(message.Url, message.Method or 'GET', message.Body or '')
  local status, body = string.match(answer, '^(%d+)\\n(.*)$')
  if not status then error(answer, 0) end
  return { StatusCode = tonumber(status), Success = tonumber(status) < 300, Body = body, Headers = {} }
end
function readfile(name) return files[name] or error('no such file: ' .. tostring(name), 0) end
function writefile(name, content) files[name] = content end
function isfile(name) return files[name] ~= nil end
function gethwid() return take('device') end
function identifyexecutor() return 'Test run' end
script_key = take('key')

local function go(thread, ...)
  local ok, problem = resume(thread, ...)
  if not ok then emit('error', tostring(problem)) end
end
local function tasksIn(list)
  local tasks = {}
  function tasks.spawn(call, ...)
    local thread = type(call) == 'thread' and call or create(call)
    go(thread, ...)
    return thread
  end
  function tasks.wait(seconds)
    local from = clock()
    list[running()] = from + (seconds or 0)
    yield()
    return clock() - from
  end
  function tasks.delay(seconds, call, ...)
    local given = table.pack(...)
    return tasks.spawn(function() tasks.wait(seconds) call(table.unpack(given, 1, given.n)) end)
  end
  function tasks.defer(call, ...) return tasks.delay(0, call, ...) end
  function tasks.cancel(thread) list[thread] = nil end
  return tasks
end
ofScript = tasksIn(waiting)
task = tasksIn(background)
wait, delay, spawn = ofScript.wait, ofScript.delay, ofScript.defer

-- A part of the game: whatever is read of it or called on it is another part.
local part
local function nothing(self) return self end
local meta = {
  __index = function(self, name)
    if type(name) ~= 'string' then return nil end
    local found = part(getmetatable(self).names[self] .. '.' .. name)
    rawset(self, name, found)
    return found
  end,
  __call = function(self, ...)
    local name = getmetatable(self).names[self]
    if string.match(name, '%.Wait$') then return ofScript.wait(1 / 60) end
    return part(name .. '()')
  end,
  __tostring = function(self) return getmetatable(self).names[self] end,
  __concat = function(left, right) return tostring(left) .. tostring(right) end,
  __add = nothing, __sub = nothing, __mul = nothing, __div = nothing, __unm = nothing, __mod = nothing,
  __lt = function() return false end, __le = function() return false end,
  __len = function() return 0 end,
  __iter = function() return function() end end,
  names = setmetatable({}, { __mode = 'k' }),
}
function part(name)
  local made = {}
  meta.names[made] = name
  return setmetatable(made, meta)
end
game = part('game')
rawset(game, 'PlaceId', 0)
rawset(game, 'GameId', 0)
rawset(game, 'JobId', 'test-run')
rawset(game, 'IsLoaded', function() return true end)
rawset(game, 'HttpGet', function(_, url) return request({ Url = url }).Body end)
rawset(game, 'GetService', function(_, name) return game[name] end)
local player = game.Players.LocalPlayer
rawset(player, 'UserId', 1)
rawset(player, 'Name', 'TestPlayer')
rawset(player, 'Kick', function(_, reason) emit('error', 'kicked: ' .. tostring(reason)) end)
workspace, script = game.Workspace, part('script')
for name in string.gmatch(take('classes'), '%w+') do getfenv(0)[name] = part(name) end

local chunk, problem = loadstring(take('text'), take('name'))
if not chunk then finish(problem) return end
local isDone = false
task.spawn(function()
  local results = table.pack(pcall(chunk))
  isDone = true
  if not results[1] then finish(tostring(results[2])) return end
  if results.n > 1 then emit('out', '→ ' .. worded(table.unpack(results, 2, results.n))) end
end)
local function turn(list)
  for thread, due in table.clone(list) do
    if clock() >= due then
      list[thread] = nil
      go(thread)
    end
  end
end
while not isDone or next(waiting) do
  turn(waiting)
  turn(background)
  sleep(5)
end
`

/** Classes that scripts can instantiate. */
const CLASSES =
  'Instance Vector2 Vector3 CFrame UDim UDim2 Color3 BrickColor Enum TweenInfo Ray Rect NumberRange Random DateTime Drawing'
