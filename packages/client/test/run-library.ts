// Runs programs that use the library for script hubs, on stand-alone interpreters and in a Luau executor.
import { COMMANDS, type Outcome, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

export const HOSTS: readonly string[] = [
  ...COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name),
  'luau',
]

export interface HubRun {
  readonly host: string
  /** The library's source. */
  readonly library: string
  /** The program. It prints values with `show`. */
  readonly lines: string
  /** Lua code that runs before the library. */
  readonly before?: string
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

/** Prints its values on one line. Prints tables as their sorted fields. */
const SHOW = `local function worded(value)
  if type(value) ~= 'table' then return tostring(value) end
  local words = {}
  for name, one in pairs(value) do words[#words + 1] = name .. '=' .. worded(one) end
  table.sort(words)
  return '{' .. table.concat(words, ' ') .. '}'
end
local function show(...)
  local words = {}
  for i = 1, select('#', ...) do words[i] = worded((select(i, ...))) end
  print(table.concat(words, ' | '))
end`

export async function runHub({ host, library, lines, before = '', env, files }: HubRun): Promise<Outcome> {
  const text = `local ward = (function(...)\n${library}\nend)()\nward.project = 'prj_test'\n${SHOW}\n${lines}`
  return host === 'luau'
    ? runLuau({ text, before, ...(files && { files }) })
    : runLoader({ command: host, text, before, env: { ...TRANSPORTS.LuaSocket, ...env } })
}

/** Returns the lines printed by a program, which must succeed. */
export async function linesOf(run: HubRun): Promise<string[]> {
  const { status, stdout, stderr } = await runHub(run)
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\n').slice(0, -1)
}

/** Simulates a game that can only send GET requests, on an interpreter with LuaSocket. */
export const READER = `local http, ltn12 = require('socket.http'), require('ltn12')
game = { PlaceId = 77, GameId = 5e9 }
function game.HttpGet(_, url)
  local parts = {}
  local _, status = http.request({ url = url, sink = ltn12.sink.table(parts) })
  if status ~= 200 then error('HTTP ' .. tostring(status) .. ' (failed)') end
  return table.concat(parts)
end
require, io = nil, nil`

/** Simulates a game that can only send GET requests, in a Luau executor. */
export const LUAU_READER = `local send = request
game = { PlaceId = 77, GameId = 5e9 }
function game.HttpGet(_, url)
  local answer = send({ Url = url, Method = 'GET' })
  if answer.StatusCode ~= 200 then error('HTTP ' .. answer.StatusCode .. ' (failed)') end
  return answer.Body
end
request = nil`
