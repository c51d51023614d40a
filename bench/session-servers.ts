/**
 * Starts the processes that `sessions.ts`, `heartbeats.ts` and `crashes.ts` measure, and reads their resource
 * usage.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Row } from './row.ts'
import { SERVICE_ENV, SERVICE_FLAGS } from './served.ts'
import type { Place } from './sessions-server.ts'

export type Server = Place & {
  readonly pid: number
  ask(what: 'used' | 'held' | 'trip' | 'settled'): Promise<number>
  end(): void
}

export async function withServers(
  count: number,
  measure: (service: Server, bare: Server) => Promise<Row[]>,
): Promise<Row[]> {
  const service = await startServer('service', count)
  const bare = await startServer('bare', 0)
  try {
    return await measure(service, bare)
  } finally {
    service.end()
    bare.end()
  }
}

export async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`answered with ${response.status}: ${text}`)
  return text
}

export async function startServer(role: 'service' | 'crashing' | 'bare', count: number): Promise<Server> {
  const child: ChildProcess = fork(new URL('sessions-server.ts', import.meta.url), [role, String(count)], {
    // All roles use the flags from scripts/launch.mjs.
    execArgv: ['--expose-gc', ...SERVICE_FLAGS],
    env: { ...SERVICE_ENV, ...process.env },
  })
  const [place] = (await once(child, 'message')) as [Place]
  return {
    ...place,
    pid: child.pid ?? 0,
    end: () => child.disconnect(),
    async ask(what) {
      child.send(what)
      const [value] = (await once(child, 'message')) as [number]
      return value
    },
  }
}
