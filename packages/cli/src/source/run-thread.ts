/** Worker thread of `running.ts`: runs one script in Luau with a simulated executor. */

import { parentPort, workerData } from 'node:worker_threads'
import { clientPath, type Kind, runInTestHost } from '@scriptward/client/test-host'

export type RunTask = {
  /** Script to run. If undefined, the loader is fetched from the URL in `loader` and run. */
  readonly text?: string
  readonly name: string
  readonly key: string
  readonly device: string
  /** Server URL; undefined for a run without a server. */
  readonly url: string | undefined
  readonly loader?: string
}

export type Report =
  | { readonly kind: Kind; readonly text: string }
  | { readonly kind: 'end'; readonly error: string | null }

const { text, url, loader = '', ...run } = workerData as RunTask
const tell = (report: Report) => parentPort?.postMessage(report)

/** The script can reach only the server's client protocol. */
async function ask(address: string, method: string, body: string): Promise<Response> {
  if (url === undefined) throw new Error('this run has no server, so requests are not possible')
  const content = body === '' ? {} : { body, headers: { 'content-type': 'text/plain' } }
  return fetch(url + clientPath(address, url), { method, ...content })
}

async function end(): Promise<string | null> {
  // If WebAssembly supports promise integration, luau-web selects a build in which pcall catches nothing.
  Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')
  const { LuauState } = await import('luau-web')
  const task = { ...run, text: text ?? (await (await ask(loader, 'GET', '')).text()) }
  return runInTestHost(LuauState, task, { emit: (kind, line) => tell({ kind, text: line }), ask })
}

tell({ kind: 'end', error: await end() })
