/**
 * Measures the cost of server code: the startup time of a script that uses it, the time of one call over a
 * live session, and the CPU time for many runs that call it occasionally. The hosts and the server are
 * separate processes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runLoader, TRANSPORTS } from '../packages/client/test/run-loader.ts'
import { benchCalling } from './calling.ts'
import { corpusOf } from './protected.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, median, type Served, serve } from './served.ts'

const SCRIPT_BYTES = 30 * 1024
const FUNCTIONS = 5
const STARTS = 25
const CALLS = 200
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }
/** Maps each host to the server's name for its loader. */
const HOSTS = { 'lua5.1': '51', luajit: 'jit' } as const
type Host = keyof typeof HOSTS

export async function bench(): Promise<Row[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const server = await serve(dataDir, { SCRIPTWARD_CLIENT_RATES: '0' })
  try {
    const scene = await makeScene(server)
    const rows = [await benchStart(scene, 'lua5.1'), await benchStart(scene, 'luajit')]
    for (const host of ['lua5.1', 'luajit'] as const) rows.push(await benchTrip(scene, host))
    return [...rows, ...(await benchCalling())]
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Scene = { readonly url: string; readonly project: string; readonly key: string }

/** Removes the account's call limit, so that only the connection's limit applies. */
async function makeScene({ url }: Served): Promise<Scene> {
  const { tiers } = (await call(url, 'GET', '/v1/tiers')) as { tiers: { id: number }[] }
  const { id, ...limits } = tiers.find((tier) => tier.id === 0) ?? { id: 0 }
  await call(url, 'PUT', `/v1/admin/tiers/${id}`, { ...limits, max_calls: -1 })
  const { project_id: project } = await call(url, 'POST', '/v1/projects/new', { name: 'bench' })
  const { user_key: key } = await call(url, 'POST', `/v1/projects/${project}/users/new`, {})
  return { url, project: String(project), key: String(key) }
}

/**
 * Alternates between a script whose functions were moved to the server and the same script with all of its
 * functions left in it.
 */
async function benchStart(scene: Scene, host: Host): Promise<Row> {
  const moved = await upload(scene, sourceOf('WARD_SERVER'))
  const whole = await upload(scene, sourceOf(''))
  const cpu: number[][] = [[], []]
  const wall: number[][] = [[], []]
  for (let i = -1; i < STARTS; i++) {
    for (const [which, script] of [moved, whole].entries()) {
      const [processorMs = 0, ms = 0] = (await run(scene, script, host)).map((seconds) => seconds * 1000)
      if (i < 0) continue
      cpu[which]?.push(processorMs)
      wall[which]?.push(ms)
    }
  }
  const [ours = Number.NaN, theirs = Number.NaN] = cpu.map(median)
  const [since = Number.NaN, before = Number.NaN] = wall.map(median)
  return {
    name: `startup of ${SCRIPT_BYTES / 1024} KB with ${FUNCTIONS} functions on the server, relative to none, in ${host}`,
    value: ours / theirs,
    unit: 'x',
    limit: '<= 1.1',
    note: `${ours.toFixed(0)} ms of CPU time, without ${theirs.toFixed(0)} ms; elapsed ${since.toFixed(0)} and ${before.toFixed(0)} ms`,
  }
}

/** The functions have a typical size: a few branches and a table. */
function sourceOf(macro: string): string {
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => {
    const rates = Array.from({ length: 20 }, (_, n) => `item${n} = ${(i + 1) * n * 1.25}`).join(', ')
    return `local RATES${i} = { ${rates} }
local price${i} = ${macro}(function(item, amount)
  local each = RATES${i}[item]
  if not each then return nil, 'we have no ' .. item end
  if amount > ${10 * i} then each = each * 0.9 end
  return math.floor(each * amount * 100 + 0.5) / 100
end)`
  }).join('\n')
  const rest = corpusOf(SCRIPT_BYTES - functions.length)
  const uses = Array.from({ length: FUNCTIONS }, (_, i) => `price${i}('item1', 2)`).join(', ')
  return `${functions}
${rest}
ward.later = function() return ${uses} end
print(os.clock(), require('socket').gettime() - BEGAN)`
}

/** Alternates between a call and an echo over a bare connection to this process. */
async function benchTrip(scene: Scene, host: Host): Promise<Row> {
  const echo = createServer((socket) => void socket.setNoDelay().pipe(socket))
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  try {
    const script = await upload(scene, tripSource((echo.address() as AddressInfo).port))
    const [trip = 0, bare = 0] = (await run(scene, script, host)).map((seconds) => seconds * 1000)
    return {
      name: `one call over a live session, minus a bare round trip, in ${host}`,
      value: trip - bare,
      unit: 'ms',
      limit: '<= 3',
      note: `median of ${CALLS}: ${trip.toFixed(2)} ms, bare ${bare.toFixed(2)} ms`,
    }
  } finally {
    echo.close()
  }
}

/** Pauses between calls to stay below the connection's limit on frames. */
function tripSource(port: number): string {
  return `local double = WARD_SERVER(function(n) return n * 2 end)
local socket = require('socket')
local bare = assert(socket.tcp())
assert(bare:connect('127.0.0.1', ${port}))
bare:setoption('tcp-nodelay', true)
local text = string.rep('x', 150) .. '\\n'
local trips, echoes = {}, {}
for i = 1, ${CALLS} do
  local start = socket.gettime()
  assert(double(i) == i * 2)
  local middle = socket.gettime()
  bare:send(text)
  assert(bare:receive('*l'))
  trips[i], echoes[i] = middle - start, socket.gettime() - middle
  ward.step(0.07)
end
table.sort(trips) table.sort(echoes)
print(trips[${CALLS / 2}], echoes[${CALLS / 2}])`
}

/** Uploads a script that requires a session, so that the session exists before its first call. */
async function upload({ url, project }: Scene, script: string): Promise<string> {
  const body = { name: 'bench', script }
  const { script_id: id } = await call(url, 'POST', `/v1/projects/${project}/scripts/new`, body)
  await call(url, 'POST', `/v1/scripts/${id}/edit`, { use_heartbeat: true, require_sessions: true })
  return String(id)
}

/** Runs the script as a customer would, and returns the numbers that it prints. */
async function run({ url, key }: Scene, script: string, host: Host): Promise<number[]> {
  const loader = await fetch(`${url}/client/v1/loader/${script}?rt=${HOSTS[host]}`)
  const before = `script_key = "${key}" BEGAN = require('socket').gettime()`
  const text = await loader.text()
  const { stdout, stderr } = await runLoader({ command: host, text, before, env: TRANSPORTS.LuaSocket })
  const numbers = stdout.trim().split('\t').map(Number)
  if (numbers.length !== 2 || numbers.some(Number.isNaN)) throw new Error(`${host}: ${stdout}${stderr}`)
  return numbers
}

async function call(
  url: string,
  method: string,
  route: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url + route, { method, headers: HEADERS, ...sent })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${route} was answered with ${response.status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
