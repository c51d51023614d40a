/**
 * Runs a test once in Luau. Each run gets its own process, because luau-web supports one state per module
 * instance. Clocks and random numbers are deterministic, and the output consists only of what the test
 * prints.
 */
import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import type { LuauState as Luau } from 'luau-web'
import { announceReady } from './job-ready.ts'

/** Calls to one function in a watched run. */
export type Seen = {
  readonly name: string
  readonly calls: number
  /** Type of an argument or result that can't be sent between script and server. Null if there is none. */
  readonly unfit: string | null
}

export type TestRun = {
  /** Code that returns a function whose first argument is `ward`. */
  readonly code: string
  readonly test: string
  /**
   * Code that returns the functions and tables that the build moved to the server, by number. Empty if there
   * are none.
   */
  readonly moved: string
  /** Key streams that decrypt the build's locks, by number. */
  readonly pads: readonly Uint8Array[]
  /** Whether the code reports its calls to `ward.watch`. */
  readonly isWatched: boolean
}

const MAX_CHARACTERS = 1_000_000
const MAX_ERROR_CHARACTERS = 300

// `compile` returns a function, or a string if the Luau is invalid.
const DRIVER = `
local take, compile, emit, finish, saw, isWatched = ...
local tostring, pcall, type, concat, pack, floor = tostring, pcall, type, table.concat, table.pack, math.floor
local date, real, rawset, frozen = os.date, os.time, rawset, table.isfrozen
local next, select, getmetatable = next, select, getmetatable
local env = getfenv()
local elapsed = 0
local function clock() elapsed = elapsed + 0.001 return elapsed end
local function time(when) if when then return real(when) end return 1700000000 + floor(elapsed) end
env.os = {
  clock = clock, time = time, difftime = os.difftime,
  date = function(format, when) return date(format or '%c', when or time()) end,
}
env.tick, env.time, env.elapsedTime = clock, clock, clock
math.randomseed(1)
local function printed(...)
  local words = pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  emit(concat(words, '\\t'))
end
env.print, env.warn = printed, printed
local function unanswered() return nil, 'scriptward: ask: this run has no server' end
-- The test runs without a server, so moved code runs here.
local function serve(ward, moved)
  rawset(ward, 'server', function(number)
    local call
    return function(...)
      call = call or moved[number](ward)
      return call(...)
    end
  end)
  rawset(ward, 'server_table', function(number) return moved[number] end)
end
-- Reports the calls of functions that could run on the server, and what could not travel there.
local seen = {}
local function unfit(value, depth)
  local kind = type(value)
  if kind ~= 'table' then return kind ~= 'nil' and kind ~= 'boolean' and kind ~= 'number' and kind ~= 'string' and kind end
  if depth > 16 then return 'table with a cycle' end
  if getmetatable(value) ~= nil then return 'table with a metatable' end
  for key, member in next, value do
    local found = unfit(key, depth + 1) or unfit(member, depth + 1)
    if found then return found end
  end
  return false
end
local function note(one, ...)
  for i = 1, select('#', ...) do one.unfit = one.unfit or unfit((select(i, ...)), 0) end
  return ...
end
local function watch(name, f)
  local one = seen[name] or { calls = 0 }
  seen[name] = one
  return function(...)
    one.calls = one.calls + 1
    return note(one, f(note(one, ...)))
  end
end
local function warded(moved)
  if env.ward == nil and (moved or isWatched) then env.ward = {} end
  local ward = env.ward
  if isWatched and type(ward) == 'table' and not frozen(ward) then rawset(ward, 'watch', watch) end
  if moved and type(ward) == 'table' and not frozen(ward) then serve(ward, moved) end
  if type(ward) == 'table' and not frozen(ward) and ward.ask == nil then rawset(ward, 'ask', unanswered) end
  return ward
end
local function compiled(name)
  local chunk = compile(take(name), name)
  if type(chunk) == 'string' then finish(chunk) return nil end
  return chunk
end
local chunk = compiled('script')
local test = chunk and compiled('test_script')
local moved = test and take('moved') ~= '' and compiled('moved')
moved = moved and moved()
if test then
  local main = chunk(nil, compiled('pads')())
  env.script = function(...) return main(warded(moved), ...) end
  local ok, problem = pcall(test)
  for name, one in next, seen do saw(name, one.calls, one.unfit or '') end
  finish(ok and '' or tostring(problem))
end`

const port = parentPort
if (!port) throw new Error('this runs in a worker thread alone')
// A remaining listener would keep the thread alive.
announceReady(port)
const [task] = (await once(port, 'message')) as [TestRun]
const lines: string[] = []
const seen: Seen[] = []
const state: { characters: number; hasEnded: boolean; luau?: Luau } = { characters: 0, hasEnded: false }

/** Memory addresses and error positions differ between builds, so they are removed before the comparison. */
function emit(line: unknown): void {
  const text = String(line)
    .replaceAll(/0x[0-9a-fA-F]{6,}/g, '0x…')
    .replaceAll(/\[string "[^"]*"\]:\d+: /g, '')
  state.characters += text.length
  if (state.characters > MAX_CHARACTERS) end(`it printed more than ${MAX_CHARACTERS} characters`)
  else lines.push(text)
}

/** Luau cannot be stopped from here. It may keep running after this report. */
function end(error: string): void {
  if (state.hasEnded) return
  state.hasEnded = true
  port?.postMessage({ lines, seen, error: error === '' ? null : error.slice(0, MAX_ERROR_CHARACTERS) })
}

function saw(name: unknown, calls: unknown, unfit: unknown): void {
  seen.push({ name: String(name), calls: Number(calls), unfit: unfit === '' ? null : String(unfit) })
}

function take(what: unknown): string {
  if (what === 'pads') return channelOf(task.pads)
  if (what === 'moved') return task.moved
  return what === 'script' ? task.code : task.test
}

/** Escapes the bytes, because raw bytes would be altered between JavaScript and Luau. */
function channelOf(pads: readonly Uint8Array[]): string {
  const escaped = (pad: Uint8Array) =>
    Array.from(pad, (byte) => `\\${String(byte).padStart(3, '0')}`).join('')
  const list = pads.map((pad) => `"${escaped(pad)}"`).join(',')
  return `local pads = { ${list} } return function(lock) return pads[lock + 1] end`
}

const compile = (text: unknown, name: unknown) => state.luau?.loadstring(String(text), String(name))

async function runTest(): Promise<void> {
  try {
    // With promise integration, luau-web picks a build in which pcall does not catch errors.
    Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')
    const { LuauState } = await import('luau-web')
    state.luau = await LuauState.createAsync({})
    // These are passed as arguments, because a test could change the state's globals.
    await state.luau.loadstring(DRIVER, 'driver', true)(take, compile, emit, end, saw, task.isWatched)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    end(message.includes('OOM') ? 'it needed more than the 16 MiB of memory available to a test' : message)
  }
}

// The call is not awaited, because luau-web's promise never settles for some inputs. In that case, the thread
// ends, and its host detects this.
void runTest()
