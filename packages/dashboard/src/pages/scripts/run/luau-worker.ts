/**
 * Runs the loader of a script in Luau. The worker's own policy allows it WebAssembly and requests to this service; it has no
 * cookies, and ends with the worker.
 */
import type { LuauState as Luau } from 'luau-web'
import { MOST_OUTPUT } from './bounds.ts'
import { CLASSES, HOST } from './host.ts'

export type TestTask = { readonly scriptId: string; readonly key: string; readonly device: string }

export type Report =
  | { readonly kind: 'out' | 'warn' | 'error'; readonly text: string }
  | { readonly kind: 'end'; readonly error: string | null }
  | { readonly kind: 'too much' }

const tell = (report: Report) => globalThis.postMessage(report)
let written = 0

globalThis.addEventListener('message', ({ data }: MessageEvent<TestTask>) => void run(data), { once: true })

async function run(task: TestTask): Promise<void> {
  const state: { error: string | null; luau?: Luau } = { error: null }
  const finish = (problem: unknown) => {
    state.error = String(problem)
  }
  try {
    const loader = await (await ask(`/client/v1/loader/${task.scriptId}?rt=luau`, 'GET', '')).text()
    const LuauState = await loadLuau()
    const given: Readonly<Record<string, string>> = { ...task, loader, classes: CLASSES }
    const compile = (text: unknown, name: unknown) => state.luau?.loadstring(String(text), String(name))
    const take = (what: unknown) => given[String(what)]
    state.luau = await LuauState.createAsync({} as never)
    await state.luau.loadstring(HOST, 'host', true)(take, compile, emit, send, sleep, finish)
  } catch (error) {
    finish(error instanceof Error ? error.message : error)
  }
  tell({ kind: 'end', error: state.error })
}

/**
 * Not before the first message has arrived, which would be lost while the module waits for its WebAssembly. luau-web was made for
 * pages and refuses workers by their globals, though it uses nothing else of a page.
 */
async function loadLuau(): Promise<typeof Luau> {
  Reflect.deleteProperty(globalThis, 'WorkerGlobalScope')
  Reflect.set(globalThis, 'window', globalThis)
  return (await import('luau-web')).LuauState
}

function emit(kind: unknown, text: unknown): void {
  const line = String(text)
  if (written > MOST_OUTPUT) return
  written += line.length + 1
  if (written > MOST_OUTPUT) tell({ kind: 'too much' })
  else tell({ kind: kind as 'out' | 'warn' | 'error', text: line })
}

async function send(url: unknown, method: unknown, body: unknown): Promise<string> {
  try {
    const answer = await ask(String(url), String(method), String(body))
    return `${answer.status}\n${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}

function sleep(ms: unknown): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Number(ms)))
}

/** The client protocol of this service, at whatever address it names itself; nothing else is within reach. */
function ask(address: string, method: string, body: string): Promise<Response> {
  const { pathname, search } = new URL(address, location.origin)
  if (!pathname.startsWith('/client/v1/'))
    throw new Error('a test run reaches the loader of this service alone')
  const content = body === '' ? {} : { body, headers: { 'content-type': 'text/plain' } }
  return fetch(pathname + search, { method, credentials: 'omit', ...content })
}
