/** The processes that `sessions.ts` and `beats.ts` measure, as their clients see them. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Row } from './row.ts'
import { SERVICE_ENV, SERVICE_FLAGS } from './served.ts'
import type { Place } from './sessions-server.ts'

export type Server = Place & {
  readonly pid: number
  ask(what: 'used' | 'held' | 'trip'): Promise<number>
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

async function startServer(role: 'service' | 'bare', count: number): Promise<Server> {
  const child: ChildProcess = fork(new URL('sessions-server.ts', import.meta.url), [role, String(count)], {
    // Both as scripts/launch.mjs starts the service.
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

/**
 * Runs `measure` while the servers share one processor and the clients have another: waking a process of another processor
 * takes twice as long, and the system puts one server with the clients and the other elsewhere as it likes.
 */
export async function apart<T>(servers: readonly Server[], measure: () => Promise<T>): Promise<T> {
  const [first = '', ...others] = processors()
  for (const { pid } of servers) runOn([first], pid)
  runOn(others.length > 0 ? others : [first], process.pid)
  try {
    return await measure()
  } finally {
    for (const { pid } of [...servers, process]) runOn([first, ...others], pid)
  }
}

/** Numbers of those that this process may run on. */
function processors(): string[] {
  const list = execFileSync('taskset', ['-p', '-c', String(process.pid)], { encoding: 'utf8' })
  return (list.split(': ')[1] ?? '').trim().split(',').flatMap(stretchOf)
}

/** `0-2` as taskset writes it. */
function stretchOf(text: string): string[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
}

function runOn(those: readonly string[], pid: number): void {
  execFileSync('taskset', ['-a', '-p', '-c', those.join(), String(pid)])
}
