/** Runs one script in Luau, in the made-up executor of test runs; `running.ts` starts it. */

import { parentPort, workerData } from 'node:worker_threads'
import { clientPath, type Kind, runInTestHost } from '@scriptward/client/test-host'

export type RunTask = {
  /** What runs, and what errors call it; without a text it is the loader at `loader`. */
  readonly text?: string
  readonly name: string
  readonly key: string
  readonly device: string
  /** Address of the service, and of the loader there; undefined for a run without one. */
  readonly url: string | undefined
  readonly loader?: string
}

export type Report =
  | { readonly kind: Kind; readonly text: string }
  | { readonly kind: 'end'; readonly error: string | null }

const { text, url, loader = '', ...run } = workerData as RunTask
const tell = (report: Report) => parentPort?.postMessage(report)

/** The client protocol of the service, and nothing else of the network. */
async function ask(address: string, method: string, body: string): Promise<Response> {
  if (url === undefined) throw new Error('this run has no service, and reaches nothing')
  const content = body === '' ? {} : { body, headers: { 'content-type': 'text/plain' } }
  return fetch(url + clientPath(address, url), { method, ...content })
}

async function end(): Promise<string | null> {
  // Where WebAssembly has promise integration, luau-web picks a build in which pcall catches nothing.
  Reflect.deleteProperty(Reflect.get(globalThis, 'WebAssembly'), 'Suspending')
  const { LuauState } = await import('luau-web')
  const task = { ...run, text: text ?? (await (await ask(loader, 'GET', '')).text()) }
  return runInTestHost(LuauState, task, { emit: (kind, line) => tell({ kind, text: line }), ask })
}

tell({ kind: 'end', error: await end() })
