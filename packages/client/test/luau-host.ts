// Simulates an executor for tests: Luau with `request`, `loadstring`, `readfile` and `writefile`. The
// executor runs in its own process, because luau-web supports one working state per module instance.
// JavaScript passes only strings and functions to Luau, because objects lose their fields at the next garbage
// collection.
import { once } from 'node:events'
import type { LuauState as Luau } from 'luau-web'

// If WebAssembly supports promise integration, luau-web selects a build in which pcall catches nothing.
Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')
const { LuauState } = await import('luau-web')

export interface LuauRun {
  readonly text: string
  /** Luau code that runs before the loader. */
  readonly before: string
  /** Workspace folder of the executor, by file name. */
  readonly files: Readonly<Record<string, string>>
  /**
   * Adds `WebSocket`, `task` and a player, as on game platforms. The run lasts until no thread is waiting.
   */
  readonly live?: boolean
}

export interface LuauOutcome {
  readonly status: number
  readonly stdout: string
  /** Message of the error that the loader did not catch. */
  readonly stderr: string
  readonly files: Readonly<Record<string, string>>
}

// `compile` returns a single value, so this wrapper adds the other return values of loadstring.

const EXECUTOR = `local emit, compile, send, loadFile, saveFile = emit, compile, send, loadFile, saveFile
local function toChunk(text, name)
  local chunk = compile(text, name or 'chunk')
  if type(chunk) == 'string' then return nil, chunk end
  return chunk
end
loadstring = toChunk
function request(message)
  local answer = send(message.Url, message.Method, message.Body or '')
  local status, body = string.match(answer, '^(%d+)\\n(.*)$')
  if not status then error(answer, 0) end
  return { StatusCode = tonumber(status), Body = body }
end
function readfile(name)
  local content = loadFile(name)
  return content ~= '' and string.sub(content, 2) or error('no such file', 0)
end
function writefile(name, content) saveFile(name, content) end
function print(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  emit(table.concat(words, '\\t'))
end`

// Threads and events of a game platform. The loop of LIVE_RUN resumes waiting threads.
const LIVE = `local sleep, dial, post, poll, hangUp = sleep, dial, post, poll, hangUp
local waiting, sockets = {}, {}
task = {}
function task.spawn(call, ...)
  local thread = coroutine.create(call)
  local ok, problem = coroutine.resume(thread, ...)
  if not ok then emit('thread: ' .. tostring(problem)) end
  return thread
end
function task.wait(seconds)
  waiting[coroutine.running()] = os.clock() + (seconds or 0)
  coroutine.yield()
end
local function event(list)
  return { Connect = function(_, call) table.insert(list, call) end }
end
WebSocket = {}
function WebSocket.connect(url)
  local id = dial(url)
  if id == '' then error('connection refused', 0) end
  local messages, closes = {}, {}
  sockets[id] = { messages = messages, closes = closes }
  return {
    OnMessage = event(messages),
    OnClose = event(closes),
    Send = function(_, text) post(id, text) end,
    Close = function() hangUp(id) end,
  }
end
game = {
  PlaceId = 77, JobId = 'job',
  GetService = function(_, name)
    if name ~= 'Players' then error('no such service', 0) end
    return { LocalPlayer = { UserId = 5, Kick = function(_, words) emit('kicked: ' .. words) end } }
  end,
}
local function deliver(id, calls)
  local what = poll(id)
  while what ~= '' do
    local isText = string.sub(what, 1, 1) == '='
    for _, call in (isText and calls.messages or calls.closes) do task.spawn(call, string.sub(what, 2)) end
    if not isText then sockets[id] = nil return end
    what = poll(id)
  end
end
function turn()
  for id, calls in table.clone(sockets) do deliver(id, calls) end
  for thread, due in table.clone(waiting) do
    if os.clock() >= due then
      waiting[thread] = nil
      local ok, problem = coroutine.resume(thread)
      if not ok then emit('thread: ' .. tostring(problem)) end
    end
  end
  sleep(5)
  return next(waiting) ~= nil
end`

const LIVE_RUN = `local chunk, problem = toChunk(take(), 'loader')
if not chunk then fail(problem) return end
task.spawn(function()
  local ok, result = pcall(chunk)
  if not ok then fail(tostring(result)) end
end)
while turn() do end`

const RUN = `local chunk, problem = toChunk(take(), 'loader')
if not chunk then fail(problem) return end
local ok, result = pcall(chunk)
if not ok then fail(tostring(result)) end`

async function send(url: string, method: string, body: string): Promise<string> {
  try {
    const content = body === '' ? {} : { body, headers: { 'content-type': 'text/plain' } }
    const answer = await fetch(url, { method, ...content })
    return `${answer.status}\n${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}

/**
 * Sockets by number. Luau polls for incoming messages, because it cannot be called from outside while it
 * runs.
 */
function sockets() {
  const open = new Map<string, { socket: WebSocket; arrived: string[] }>()
  return {
    dial: (url: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url)
        const arrived: string[] = []
        const id = `${open.size + 1}`
        open.set(id, { socket, arrived })
        socket.onopen = () => resolve(id)
        socket.onmessage = ({ data }) => void arrived.push(`=${data}`)
        socket.onclose = () => {
          arrived.push('.')
          resolve('')
        }
      }),
    post: (id: string, text: string) => open.get(id)?.socket.send(text),
    poll: (id: string) => open.get(id)?.arrived.shift() ?? '',
    hangUp: (id: string) => open.get(id)?.socket.close(),
  }
}

async function runAsExecutor({ text, before, files, live }: LuauRun): Promise<LuauOutcome> {
  const lines: string[] = []
  const workspace = { ...files }
  let problem = ''
  const state: Luau = await LuauState.createAsync({
    emit: (line: string) => void lines.push(`${line}\n`),
    compile: (source: string, name: string) => state.loadstring(source, name),
    loadFile: (name: string) => (name in workspace ? `=${workspace[name]}` : ''),
    saveFile: (name: string, content: string) => {
      workspace[name] = content
    },
    take: () => text,
    fail: (words: string) => {
      problem = words
    },
    send,
    // Luau's clock also advances while other processes run.
    processorMs: () => String(process.cpuUsage().user / 1000),
    sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...sockets(),
  })
  const rest = live ? `${LIVE}\n${before}\n${LIVE_RUN}` : `${before}\n${RUN}`
  await state.loadstring(`${EXECUTOR}\n${rest}`, 'executor', true)()
  return { status: problem ? 1 : 0, stdout: lines.join(''), stderr: problem, files: workspace }
}

const [run] = (await once(process, 'message')) as [LuauRun]
process.send?.(await runAsExecutor(run))
