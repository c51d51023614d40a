/**
 * Runs server functions in Luau, in a thread of a child process. Each call finds the Luau as it was before the first one,
 * because the whole memory of the interpreter is put back between two calls.
 */
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { InternalLuauWasmModule, LuauState as Luau } from 'luau-web'
import { READY } from '../../builds/job-ready.ts'
import { ENDED, type FunctionEnd, type FunctionResult, type FunctionTask } from './call.ts'
import { DRIVER } from './driver.ts'

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly emscripten_stack_get_current: () => number
  readonly _emscripten_stack_restore: (at: number) => void
}
type Made = { readonly instance: { readonly exports: Exports } }
type WebAssembly = { instantiate: (...given: readonly unknown[]) => Promise<Made> }
type States = (typeof InternalLuauWasmModule)['states']
type Interpreter = { readonly luau: Luau; readonly drive: Drive; readonly putBack: () => void }
type Drive = (...helpers: readonly unknown[]) => Promise<unknown>

const MAX_LINES = 100
const MAX_CHARACTERS = 8192
const TURNS = 10

const webAssembly: WebAssembly = Reflect.get(globalThis, 'WebAssembly')
const port = parentPort
if (!port) throw new Error('this runs in a worker thread alone')

/** luau-web gives no way to its memory, so it is taken where the interpreter is made. */
function catchExports(): () => Exports {
  let exports: Exports | undefined
  const { instantiate } = webAssembly
  webAssembly.instantiate = async (...given) => {
    const made = await instantiate(...given)
    exports = made.instance.exports
    return made
  }
  return () => {
    if (!exports) throw new Error('luau-web made no interpreter')
    return exports
  }
}

/** Returns what puts everything back as it is now. */
function remember({ memory, ...stack }: Exports, states: States): () => void {
  const top = stack.emscripten_stack_get_current()
  const bytes = new Uint8Array(memory.buffer)
  const end = endOf(memory.buffer)
  const kept = bytes.slice(0, end)
  const copies = states.map((state) => ({ ...state }))
  return () => {
    bytes.set(kept)
    bytes.fill(0, end)
    stack._emscripten_stack_restore(top)
    copies.forEach((copy, i) => {
      Object.assign(states[i] ?? {}, copy, {
        luaValueCache: new Map(copy.luaValueCache),
        jsValueCache: new Map(copy.jsValueCache),
        jsValueReverse: new Map(copy.jsValueReverse),
        transactionData: [...copy.transactionData],
      })
    })
  }
}

/** In bytes; only zeros follow. A loop over words, because a callback for each of 16 million bytes takes half the start. */
function endOf(buffer: ArrayBuffer): number {
  const words = new Uint32Array(buffer)
  let last = words.length - 1
  while (words[last] === 0) last -= 1
  return 4 * (last + 1)
}

async function open(): Promise<Interpreter> {
  // Where WebAssembly has promise integration, luau-web picks a build in which pcall catches nothing.
  Reflect.deleteProperty(webAssembly, 'Suspending')
  const exportsOf = catchExports()
  const { LuauState, InternalLuauWasmModule: module } = await import('luau-web')
  const luau = await LuauState.createAsync({})
  const drive = luau.loadstring(DRIVER, '=service', true) as Drive
  return { luau, drive, putBack: remember(exportsOf(), module.states) }
}

async function run({ luau, drive }: Interpreter, task: FunctionTask): Promise<FunctionResult> {
  const printed: string[] = []
  let characters = 0
  let end: FunctionEnd | undefined
  const take = (what: unknown) => textOf(task, String(what))
  const compile = (text: unknown, name: unknown) => luau.loadstring(String(text), String(name))
  const print = (line: unknown) => {
    if (printed.length >= MAX_LINES || characters >= MAX_CHARACTERS) return
    const text = String(line).slice(0, MAX_CHARACTERS - characters)
    characters += text.length
    printed.push(text)
  }
  const finish = (kind: unknown, text: unknown) => {
    end ??= { kind: kind as FunctionEnd['kind'], text: String(text) }
  }
  const before = process.threadCpuUsage()
  await Promise.race([drive(take, compile, print, finish), pass(TURNS)])
  const { user, system } = process.threadCpuUsage(before)
  if (end === undefined) throw new Error(ENDED)
  return { end, printed, ms: Math.round((user + system) / 10) / 100 }
}

/** Nothing that the function does waits, so it has ended when the thread is idle. For some texts luau-web never answers. */
async function pass(turns: number): Promise<void> {
  for (let i = 0; i < turns; i += 1) await setImmediate()
}

/** Null would not be nil. */
function textOf({ name, source, call, seed }: FunctionTask, what: string): string | number {
  if (what === 'name') return `=${name}`
  if (what === 'source') return source
  if (what === 'seed') return seed
  return (what === 'run' ? call?.run : call?.values) ?? ''
}

const opened = await open()
// What every call needs is compiled to machine code once, before the first one is timed.
await run(opened, {
  name: 'first',
  source: 'return function(run, ...) return { run, ... } end',
  call: { values: 'return { n = 1, { "a", 1.5, true } }', run: 'return { plan = "a" }' },
  seed: 1,
})
opened.putBack()
port.on('message', async (task: FunctionTask) => {
  port.postMessage(await run(opened, task))
  opened.putBack()
  port.postMessage(READY)
})
port.postMessage(READY)
