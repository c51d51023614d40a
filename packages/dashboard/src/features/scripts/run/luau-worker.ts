/**
 * Runs a script's loader in Luau. The worker's own content security policy allows WebAssembly and requests to
 * this server. The worker has no cookies.
 */
import { clientPath, runInTestHost } from '@scriptward/client/test-host'
import { loadLuau } from '../../../lib/load-luau.ts'
import { emit, tell } from './output.ts'

export type TestTask = { readonly scriptId: string; readonly key: string; readonly device: string }

globalThis.addEventListener('message', ({ data }: MessageEvent<TestTask>) => void run(data), { once: true })

async function run({ scriptId, key, device }: TestTask): Promise<void> {
  let error: string | null
  try {
    const text = await (await ask(`/client/v1/loader/${scriptId}?rt=luau`, 'GET', '')).text()
    const task = { text, name: 'loader', key, device }
    error = await runInTestHost(await loadLuau(), task, { emit, ask })
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught)
  }
  tell({ kind: 'end', error })
}

/** Sends client protocol requests to this server, regardless of the URL in the loader. */
async function ask(address: string, method: string, body: string): Promise<Response> {
  const content = body === '' ? {} : { body, headers: { 'content-type': 'text/plain' } }
  return fetch(clientPath(address, location.origin), { method, credentials: 'omit', ...content })
}
