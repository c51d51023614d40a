/**
 * Runs Lua programs on real hosts: many programs in one process of lua5.1, LuaJIT or lua5.4, and Luau (npm
 * luau-web) in a process that is killed if a program hangs.
 */

import { spawn } from 'node:child_process'
import { askProcess } from './ask-process.ts'
import type { LuauPrograms } from './luau-programs.ts'

export type Host = 'lua5.1' | 'luajit' | `luajit ${string}` | 'lua5.4' | 'luau'

/** `code` has one character per byte, all below 256. */
export type Program = { readonly name: string; readonly code: string }

/** The output of a program, escaped to ASCII, and its error message; null if it ended without an error. */
export type Outcome = { readonly name: string; readonly output: string; readonly error: string | null }

export const HOSTS: readonly Host[] = ['lua5.1', 'luajit', 'luau']

const LUAU = new URL('./luau-programs.ts', import.meta.url)
/** Time limit that ends programs that hang. */
const LIMIT_MS = 250_000

/** Runs all programs in order in one host process, restoring the global environment for each. */
export async function runLua(host: Host, programs: readonly Program[]): Promise<Outcome[]> {
  const raw = host === 'luau' ? await runInBatches(programs) : await runInProcess(host, programs)
  return programs.map((program, i) => {
    const line = raw[i] ?? 'E the host died before this program ended'
    const [head, ...tail] = line.split('\n')
    return {
      name: program.name,
      output: tail.join('\n'),
      error: head?.startsWith('E ') ? head.slice(2) : null,
    }
  })
}

/** Runs a single program in a separate process and returns its output unchanged. */
export function runAlone(command: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    const pieces: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
    child.stderr.on('data', (piece: Buffer) => pieces.push(piece))
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(pieces).toString('latin1'))
    })
    child.stdin.end(Buffer.from(input, 'latin1'))
  })
}

// Reads "<bytes>\n<code>" until the input ends, and responds with "<bytes>\n<O|E message>\n<output>".
// Globals, library tables and the string metatable are restored after every program.
const DRIVER = `
local write, read, load = io.write, io.read, loadstring or load
local tostring, select, concat, rawset, next, type = tostring, select, table.concat, rawset, next, type
local setmetatable, getmetatable, xpcall, setfenv = setmetatable, getmetatable, xpcall, setfenv
local gsub, format, byte = string.gsub, string.format, string.byte
local G = _G
local kept = {}
local function keep(t) local copy = {}; for k, v in next, t do copy[k] = v end; kept[t] = copy end
keep(G)
for _, v in next, G do if type(v) == 'table' and v ~= G then keep(v) end end
keep(getmetatable(''))
local function restore()
  setmetatable(G, nil)
  for t, copy in next, kept do
    for k in next, t do if copy[k] == nil then t[k] = nil end end
    for k, v in next, copy do rawset(t, k, v) end
  end
end
local function escape(s)
  return (gsub(s, '[^\\n\\t\\32-\\126]', function(c) return format('\\\\%03d', byte(c)) end))
end
while true do
  local n = read('*n')
  if not n then break end
  read('*l')
  local code = n == 0 and '' or read(n)
  local out, count = {}, 0
  G.print = function(...)
    local line = {}
    for i = 1, select('#', ...) do line[i] = tostring((select(i, ...))) end
    count = count + 1
    out[count] = concat(line, '\\t')
  end
  local chunk, problem = load(code, '=script')
  local ok = chunk ~= nil
  if ok then
    ok, problem = xpcall(function() G.print('returned', chunk('first', nil, 3)) end, tostring)
  end
  if setfenv then setfenv(1, G) end
  restore()
  local head = ok and 'O' or 'E ' .. gsub(escape(tostring(problem)), '\\n', ' ')
  local answer = head .. '\\n' .. escape(concat(out, '\\n'))
  write(#answer, '\\n', answer)
  io.stdout:flush()
end
`

async function runInProcess(host: Host, programs: readonly Program[]): Promise<string[]> {
  const [command = host, ...flags] = host.split(' ')
  const input = programs.map(({ code }) => `${code.length}\n${code}`).join('')
  return frames(await runAlone(command, [...flags, '-e', DRIVER], input))
}

function frames(text: string): string[] {
  const found: string[] = []
  let at = 0
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const size = Number(text.slice(at, end))
    if (!Number.isInteger(size) || end < 0) {
      found.push(`E ${text.slice(at, at + 2000).replaceAll('\n', ' ')}`)
      break
    }
    found.push(text.slice(end + 1, end + 1 + size))
    at = end + 1 + size
  }
  return found
}

// luau-web has only one usable state per module, so programs share it and the driver restores the globals.
// Nothing else needs restoring, because the library tables are read-only and `_G` is not the environment.
const LUAU_DRIVER = `
local out, count = {}, 0
local format, byte, concat, gsub, env = string.format, string.byte, table.concat, string.gsub, getfenv()
local tostring, select, next = tostring, select, next
local function collect(...)
  local line = {}
  for i = 1, select('#', ...) do line[i] = tostring((select(i, ...))) end
  count += 1
  out[count] = concat(line, '\\t')
end
local function escape(s)
  return (gsub(s, '[^\\n\\t\\32-\\126]', function(c) return format('\\\\%03d', byte(c)) end))
end
local kept = {}
for k, v in next, env do kept[k] = v end
return function()
  for k in next, env do env[k] = kept[k] end
  env.print = collect
  local text = concat(out, '\\n')
  out, count = {}, 0
  return escape(text)
end
`

/**
 * luau-web has 16 MiB for all code that a process ever compiles, so each process gets a limited amount of
 * code.
 */
const BATCH_BYTES = 400_000

async function runInBatches(programs: readonly Program[]): Promise<string[]> {
  const answers: string[] = []
  let batch: Program[] = []
  let bytes = 0
  for (const program of programs) {
    if (bytes + program.code.length > BATCH_BYTES && batch.length > 0) {
      answers.push(...(await runInLuau(batch)))
      batch = []
      bytes = 0
    }
    batch.push(program)
    bytes += program.code.length
  }
  return [...answers, ...(await runInLuau(batch))]
}

/**
 * Luau expects its source in UTF-8, so bytes above 127 are sent as the characters whose UTF-8 encoding they
 * form. If the process crashes, another process runs the remaining programs once, because luau-web
 * occasionally crashes regardless of the program.
 */
async function runInLuau(programs: readonly Program[], isSecond = false): Promise<string[]> {
  const task: LuauPrograms = { driver: LUAU_DRIVER, codes: programs.map(({ code }) => code) }
  const { answers, crash } = await askProcess<string>(LUAU, task, LIMIT_MS)
  if (crash !== null && !isSecond) {
    process.stderr.write(`luau-web ended by ${crash} after ${answers.length} programs\n`)
    return [...answers, ...(await runInLuau(programs.slice(answers.length), true))]
  }
  return programs.map((_, i) => answers[i] ?? 'E the host died before this program ended')
}
