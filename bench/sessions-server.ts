/**
 * The process measured by `sessions.ts`, `heartbeats.ts` and `crashes.ts`. The first argument selects its
 * role: `service` (the real server), `bare` (a plain node:http and ws echo server), or `crashing` (the real
 * server for `crashes.ts`). The second argument is the number of running instances. On request, the process
 * reports its usage and the round-trip time of a message to a client. With `crashing`, the instances'
 * executions are logged, and their version is uploaded later.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import { readConfig } from '../packages/server/src/config/config.ts'
import type { Deps } from '../packages/server/src/deps.ts'
import { insertGrantedRow } from '../packages/server/src/features/executions/store/execution-log.ts'
import { insertUser } from '../packages/server/src/features/keys/store/users.ts'
import { insertProject } from '../packages/server/src/features/projects/store/projects.ts'
import { insertScript } from '../packages/server/src/features/scripts/store/scripts.ts'
import { sealBeatStates, sealSecrets } from '../packages/server/src/features/sessions/instances.ts'
import {
  insertInstance,
  type StartedInstance,
} from '../packages/server/src/features/sessions/store/instances.ts'
import { start } from '../packages/server/src/start.ts'

/** The data that clients need about an instance. Keys are in hex. */
export type Instance = { readonly exec: string; readonly ws: string; readonly beat: string }
export type Place = { readonly url: string; readonly instances: readonly Instance[] }

const KEY = 'k'.repeat(32)
const ADMIN_KEY = 'admin-of-the-benchmark'
const HOUR_MS = 3_600_000

/** This is longer than the interval of the job that groups reports. */
const SETTLING_MS = 2500

const count = Number(process.argv[3] ?? 0)
const isCrashing = process.argv[2] === 'crashing'
const served = process.argv[2] === 'bare' ? await startBare() : await startService()
process.on('message', async (asked: string) => process.send?.(await answer(asked)))
process.send?.(served.place)

async function answer(asked: string): Promise<number> {
  if (asked === 'used') return (process.cpuUsage().user + process.cpuUsage().system) / 1000
  if (asked === 'held') {
    for (let i = 0; i < 5; i += 1) {
      globalThis.gc?.()
      await wait(200)
    }
    // The other fields of `memoryUsage` depend on how the heap was used before.
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const begin = performance.now()
  await (asked === 'settled' ? served.settled() : served.roundTrip())
  return performance.now() - begin
}

async function startBare() {
  const server = createServer((request, response) => {
    request.on('data', () => {})
    request.on('end', () => response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(300)))
  })
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  let last: WebSocket | undefined
  let heard = () => {}
  sockets.on('connection', (ws) => {
    last = ws
    ws.on('message', () => heard())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.on('disconnect', () => process.exit())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const roundTrip = () =>
    new Promise<void>((resolve) => {
      heard = resolve
      last?.send('x'.repeat(120))
    })
  return { place: { url, instances: [] } satisfies Place, roundTrip, settled: async () => {} }
}

async function startService() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const settings = {
    SCRIPTWARD_PORT: '0',
    // All clients of a benchmark share one IP address.
    SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    SCRIPTWARD_CLIENT_RATES: '0',
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_DATA_DIR: dataDir,
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
  }
  const log = pino({ level: 'info' }, { write: () => {} })
  const { url, deps } = await start(readConfig(settings), { now: Date.now, random: randomBytes, log })
  await addScript(deps)
  const instances = await addInstances(deps)
  process.on('disconnect', () => {
    rmSync(dataDir, { recursive: true, force: true })
    process.exit()
  })
  const roundTrip = async () => {
    const session = deps.sessions.hub.ofInstance(instances[0]?.exec ?? '')?.session
    const outcome = await deps.sessions.hub.ask(session?.id ?? '', { key: 'k', data: { name: 'Ada' } })
    if (!outcome?.processed) throw new Error('the session did not answer')
  }
  return { place: { url, instances } satisfies Place, roundTrip, settled: () => settle(deps) }
}

/** Waits until all reports are grouped. If there are no reports, waits for one interval. */
async function settle({ db }: Deps): Promise<void> {
  do await wait(SETTLING_MS)
  while (await db.read.selectFrom('error_reports').select('seq').limit(1).executeTakeFirst())
}

async function addScript({ db, now }: Deps): Promise<void> {
  const [owner] = await db.read.selectFrom('customers').selectAll().execute()
  const project = { id: 'prj_bench', customer_id: owner?.id ?? '', name: 'bench', created_at: now() }
  const rules = {
    fingerprint_reset_cooldown: 0,
    allow_fingerprint_resets: 1,
    delete_expired_users: 0,
  } as const
  const flags = {
    free_for_all: 0,
    use_heartbeat: 1,
    kick_outdated: 0,
    require_sessions: 0,
    silent: 0,
  } as const
  const script = { id: 'scr_bench', project_id: project.id, name: 'bench', version: 1, created_at: now() }
  await db.transaction(async (tx) => {
    await insertProject(tx, { ...project, ...rules, require_chat: 0, require_join_chat_server: 0 })
    await insertScript(tx, { ...flags, ...script })
    await insertUser(tx, { key: KEY, project_id: project.id, created_at: now() })
  })
}

async function addInstances(deps: Deps): Promise<Instance[]> {
  const made = Array.from({ length: count }, () => ({
    exec: randomBytes(16).toString('base64url'),
    ws: randomBytes(32),
    beat: randomBytes(32),
  }))
  for (let i = 0; i < made.length; i += 500) {
    await deps.db.transaction(async (tx) => {
      for (const one of made.slice(i, i + 500)) {
        const row = rowOf(deps, one)
        await insertInstance(tx, row)
        if (isCrashing) await insertGrantedRow(tx, { ...row, at: row.granted_at })
      }
    })
  }
  // Marks these rows as counted. Otherwise, a job would count them during the measurement.
  if (isCrashing)
    await deps.db.transaction((tx) =>
      tx.insertInto('health_progress').values({ id: 1, counted: made.length }).execute(),
    )
  return made.map(({ exec, ws, beat }) => ({ exec, ws: ws.toString('hex'), beat: beat.toString('hex') }))
}

function rowOf(deps: Deps, { exec, ws, beat }: { exec: string; ws: Buffer; beat: Buffer }): StartedInstance {
  const now = deps.now()
  return {
    ...{ exec, project_id: 'prj_bench', script_id: 'scr_bench', user_key: KEY, device: null },
    ...{ script_version: isCrashing ? 2 : 1, executor: 'luajit', runtime: 'luajit', language: null },
    ...{ game_user_id: '1', place_id: '2', job_id: '3' },
    ...{ granted_at: now, last_seen: now, expires_at: now + HOUR_MS, variables_digest: null, ws_required: 0 },
    ...{ address: '47f000001', devices: null, probe: null },
    secrets: sealSecrets(deps, exec, { ws, payload: ws, lease: ws }),
    beat_keys: sealBeatStates(deps, exec, 0, { current: beat, former: beat }),
  }
}
