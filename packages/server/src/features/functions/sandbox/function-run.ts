/**
 * Runs server functions in Luau, in a thread of a child process. Every call starts from the same fresh Luau
 * state, because the interpreter's entire memory is restored between calls.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { InternalLuauWasmModule, LuauState as Luau } from 'luau-web'
import { announceReady } from '../../builds/job-ready.ts'
import { ENDED, type FunctionEnd, type FunctionResult, type FunctionTask } from './call.ts'
import { DRIVER } from './driver.ts'
import { MAX_PRINTED_CHARACTERS } from './limits.ts'

type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly emscripten_stack_get_current: () => number
  readonly _emscripten_stack_restore: (at: number) => void
}
type Made = { readonly instance: { readonly exports: Exports } }
type WebAssembly = { instantiate: (...given: readonly unknown[]) => Promise<Made> }
type States = (typeof InternalLuauWasmModule)['states']
type Interpreter = { readonly luau: Luau; readonly drive: Drive; readonly putBack: () => void }
type Drive = (
  ...given: readonly unknown[]
) => Promise<[kind: FunctionEnd['kind'], text: string, ...printed: string[]]>

const CHUNK_BYTES = 64 * 1024
const ZEROS = Buffer.alloc(CHUNK_BYTES)

const webAssembly: WebAssembly = Reflect.get(globalThis, 'WebAssembly')
const port = parentPort
const began = workerData as Float64Array
if (!port) throw new Error('this runs in a worker thread alone')

/** luau-web does not expose its memory, so it is captured when the interpreter is instantiated. */
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

/** Returns a function that restores the interpreter's current state. */
function remember({ memory, ...stack }: Exports, states: States): () => void {
  const top = stack.emscripten_stack_get_current()
  const chunks = chunksOf(memory.buffer).map((chunk) => ({
    chunk,
    kept: isZero(chunk) ? null : Buffer.from(chunk),
  }))
  const copies = states.map((state) => ({ ...state }))
  return () => {
    for (const { chunk, kept } of chunks) {
      if (kept) chunk.set(kept)
      else if (!isZero(chunk)) chunk.fill(0)
    }
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

/**
 * Memory is mostly zeros before and after a call. Checking a chunk for zeros takes a tenth of the time that
 * writing them would, and writing would make the entire memory resident.
 */
function chunksOf(buffer: ArrayBuffer): Buffer[] {
  return Array.from({ length: Math.ceil(buffer.byteLength / CHUNK_BYTES) }, (_, i) =>
    Buffer.from(buffer, i * CHUNK_BYTES, Math.min(CHUNK_BYTES, buffer.byteLength - i * CHUNK_BYTES)),
  )
}

function isZero(chunk: Buffer): boolean {
  return chunk.equals(chunk.length === CHUNK_BYTES ? ZEROS : ZEROS.subarray(0, chunk.length))
}

async function open(): Promise<Interpreter> {
  // If WebAssembly supports promise integration, luau-web loads a build in which pcall doesn't catch errors.
  Reflect.deleteProperty(webAssembly, 'Suspending')
  const exportsOf = catchExports()
  const { LuauState, InternalLuauWasmModule: module } = await import('luau-web')
  const luau = await LuauState.createAsync({})
  const drive = luau.loadstring(DRIVER, '=service', true) as Drive
  return { luau, drive, putBack: remember(exportsOf(), module.states) }
}

async function run({ luau, drive }: Interpreter, task: FunctionTask): Promise<FunctionResult> {
  const before = usedUs()
  const chunk = compile(luau, task)
  const given = task.given === null ? null : luau.loadstring(task.given, 'given')
  const [kind, text, ...lines] =
    typeof chunk === 'string'
      ? (['uncompiled', chunk] as const)
      : await drive(task.seed, task.isMoved, chunk, given)
  return { end: { kind, text }, printed: cut(lines), ms: Math.round((usedUs() - before) / 10) / 100 }
}

/** CPU time of this thread in microseconds. */
function usedUs(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Returns an error message if the source is not valid Luau. */
function compile(luau: Luau, { name, source }: FunctionTask): unknown {
  try {
    return luau.loadstring(source, `=${name}`)
  } catch (error) {
    throw String(error).includes('OOM') ? error : new Error(ENDED)
  }
}

function cut(lines: readonly string[]): string[] {
  let room = MAX_PRINTED_CHARACTERS
  return lines.flatMap((line) => {
    if (room === 0) return []
    const part = line.slice(0, room)
    room -= part.length
    return [part]
  })
}

const opened = await open()
// This runs once before the first timed call, so that the code that every call needs is already compiled to
// machine code.
await run(opened, {
  name: 'first',
  source: 'return function(run, ...) return { run, ... } end',
  isMoved: false,
  given: 'return { plan = "a" }, { n = 1, { "a", 1.5, true } }',
  seed: 1,
})
opened.putBack()
port.on('message', async (task: FunctionTask) => {
  began[0] = usedUs()
  const result = await run(opened, task)
  began[0] = 0
  port.postMessage(result)
  opened.putBack()
})
announceReady(port)
