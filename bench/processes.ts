/** A message to a session that another process holds, over PostgreSQL and Valkey, beside one to the process's own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { startValkey } from '../packages/server/test/processes/valkey-server.ts'
import { ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { run, type Socket } from '../packages/server/test/protocol/running.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, type Served, serve } from './served.ts'

const WARM = 20
const MESSAGES = 200
const HEADERS = { token: ADMIN_KEY, 'content-type': 'application/json' }

export async function bench(): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-bench-'))
  const [database, valkey] = [await startPostgres(), await startValkey()]
  const settings = {
    SCRIPTWARD_DATABASE_URL: database.url,
    SCRIPTWARD_VALKEY_URL: valkey.url,
    // The client answers faster than one may.
    SCRIPTWARD_CLIENT_RATES: '0',
  }
  const served: Served[] = []
  try {
    for (let i = 0; i < 2; i += 1) served.push(await serve(folder, settings))
    return await measure(served[0] as Served, served[1] as Served)
  } finally {
    await Promise.all(served.map((one) => one.stop()))
    await valkey.remove()
    await database.stop()
    rmSync(folder, { recursive: true })
  }
}

async function measure(holder: Served, other: Served): Promise<Row[]> {
  const { socket, sid } = await join(holder)
  const times: Record<'own' | 'across', number[]> = { own: [], across: [] }
  for (let i = 0; i < WARM + MESSAGES; i += 1) {
    const own = await send(holder, socket, sid)
    const across = await send(other, socket, sid)
    if (i < WARM) continue
    times.own.push(own)
    times.across.push(across)
  }
  return [
    {
      name: 'message to a session of another process, p50',
      value: median(times.across),
      unit: 'ms',
      limit: '<= 5',
    },
    { name: 'message to a session of this process, p50', value: median(times.own), unit: 'ms' },
  ]
}

async function join({ url }: Served): Promise<{ socket: Socket; sid: string }> {
  const { project_id } = await post(url, '/v1/projects/new', { name: 'Bench' })
  const script = { name: 'Script', script: 'print(1)' }
  const { script_id = '' } = await post(url, `/projects/${project_id}/scripts/new`, script)
  const { user_key = '' } = await post(url, `/projects/${project_id}/users/new`, {})
  const running = await run(new ProtocolClient(url), script_id, { key: user_key })
  const socket = await running.connect(url)
  const { sid } = await socket.frame('ready')
  return { socket, sid }
}

/** From the request to its answer, in milliseconds. */
async function send({ url }: Served, socket: Socket, sid: string): Promise<number> {
  const start = performance.now()
  const answered = post(url, `/v1/sessions/${sid}/message`, { key: 'greet', data: { name: 'Ada' } })
  const { id } = await socket.frame('cmd')
  socket.send({ t: 'res', id, ok: true, data: { said: 'hello' } })
  const { processed } = await answered
  if (String(processed) !== 'true') throw new Error('a message was not processed')
  return performance.now() - start
}

async function post(url: string, to: string, body: object): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(url + to, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${to}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Readonly<Record<string, string>>
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
