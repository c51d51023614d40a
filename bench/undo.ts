/** Undoing the removal of a million users beside the removal, on both engines, and what others wait meanwhile. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { type Base, onBothEngines, plant } from './management-base.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, serve } from './served.ts'

const USERS = 1_000_000
const PAUSE_MS = 10

export function bench(): Promise<Row[]> {
  return onBothEngines(benchEngine)
}

async function benchEngine(engine: string, empty: Base): Promise<Row[]> {
  const { base, projectId } = await plant(empty, USERS)
  const served = await serve(base.dataDir, {
    ...base.settings,
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_LOG_LEVEL: 'error',
  })
  try {
    const ask = async (path: string, body?: object) => {
      const { status, text } = await send(`${served.url}/v1/${path}`, body)
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
      return JSON.parse(text) as { batch_id: string; count: number; batch: { restored: number } }
    }
    const project = `projects/${projectId}`
    const dry = await timed(() => ask(`${project}/users/clear`, { dry_run: true }))
    const clear = await beside(
      () => ask(project),
      () => ask(`${project}/users/clear`, {}),
    )
    const undo = await beside(
      () => ask(project),
      () => ask(`batches/${clear.value.batch_id}/undo`, {}),
    )
    if (undo.value.batch.restored !== USERS) throw new Error(`only ${undo.value.batch.restored} came back`)
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    return [
      {
        name: `${engine}: undoing a clear of a million to the clear`,
        value: undo.ms / clear.ms,
        unit: 'x',
        limit: '<= 2',
        note: `clear ${seconds(clear.ms)}, undo ${seconds(undo.ms)}, dry run ${seconds(dry.ms)}`,
      },
      {
        name: `${engine}: others while it is undone, p99`,
        value: undo.slow,
        unit: 'ms',
        limit: '<= 300',
        note: `while it is cleared: ${clear.slow.toFixed(0)} ms`,
      },
    ]
  } finally {
    await served.stop()
    await base.remove()
  }
}

/** Not by `fetch`, which gives up on an answer after five minutes. */
async function send(url: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const asked = request(url, { headers, method: body === undefined ? 'GET' : 'POST' })
  asked.end(body && JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, text: await readText(answer) }
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now()
  const value = await work()
  return { value, ms: performance.now() - start }
}

/** Also how long another client waited for nearly all of its requests. */
async function beside<T>(
  read: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly ms: number; readonly slow: number }> {
  await read()
  const waits: number[] = []
  let isOver = false
  const reader = (async () => {
    while (!isOver) {
      // A connection that the service closes while it is used again says nothing about waiting.
      const one = await timed(read).catch(() => undefined)
      if (one) waits.push(one.ms)
      await wait(PAUSE_MS)
    }
  })()
  const done = await timed(work)
  isOver = true
  await reader
  const slow = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN
  return { ...done, slow }
}
