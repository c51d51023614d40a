/**
 * Runs obfuscations for `job-host.ts`, one per message. The pool enforces the deadline and the memory limit.
 * An exception here is a bug in the obfuscator, never an error in the script.
 */
import { parentPort } from 'node:worker_threads'
import { packCore, packInterpreter } from '@scriptward/client/bundle'
import { deriveKeyStreams } from '@scriptward/client/leases'
import {
  type Built,
  type DataPlace,
  dataOf,
  expand,
  interpreterOf,
  lengthOfLock,
  moveLocks,
  moveNumbers,
  moveSlots,
  obfuscate,
  type Report,
  type Source,
  writeNumber,
} from '@scriptward/obfuscator'

import type { Complaint, Protected, SplitBuild, Task } from './build.ts'
import { packFenced } from './fenced-lz4.ts'
import { announceReady } from './job-ready.ts'
import { packLineTable } from './line-table.ts'
import { pack, unpack } from './lz4.ts'
import { checkPatterns } from './patterns.ts'

/**
 * Maximum size of the interpreter in a loader. Packing takes up to 2.5 ms per KB, and every user downloads
 * the loader.
 */
const MAX_CARRIED_BYTES = 131_072

export function run({
  source,
  options,
  isTested,
  isLoader,
}: Task): Protected | { errors: readonly Complaint[] } {
  const start = performance.now()
  const { serviceKey, ...own } = options
  const built = obfuscate(source, serviceKey ? { ...own, servicePad: deriveKeyStreams(serviceKey) } : own)
  if ('errors' in built) return { errors: built.errors }
  const { code, slots, orders, numbers, locks, messages, serverCode, report } = built
  const unfit = checkPatterns(messages)
  if (unfit.length > 0) return { errors: unfit }
  const payload = packCopies(code, { slots, numbers, locks })
  const split = built.data && packSplit(built, built.data)
  const lineTable = packLineTable(built.lines)
  const durationMs = Math.round(performance.now() - start)
  const plain = isTested ? expand(source, own) : null
  if (plain && 'errors' in plain) return { errors: plain.errors }
  const expanded = plain?.code ?? null
  const watched = isTested ? watch(source, own, report) : null
  return {
    payload,
    size: code.length,
    slots,
    orders,
    numbers,
    split,
    locks,
    messages,
    serverCode,
    lineTable,
    report,
    durationMs,
    loader: isLoader ? packCore(code) : null,
    expanded,
    watched,
  }
}

/**
 * Makes suggested functions report their calls. Functions that already run on the server are not suggested.
 */
function watch(source: Source, options: Task['options'], { suggestions }: Report): string | null {
  if (suggestions.length === 0) return null
  const expanded = expand(source, { ...options, server: suggestions.map(({ name }) => name) }, true)
  return 'code' in expanded ? expanded.code : null
}

/** Parts that differ between copies must be literals to be replaceable. */
function packCopies(
  text: string,
  { slots, numbers, locks }: Pick<Built, 'slots' | 'numbers' | 'locks'>,
): Uint8Array {
  const written = numbers.list.flatMap((each) => writeNumber(numbers, each, 0))
  const fences = [
    ...[...slots.flat(), ...written].map(({ at, text: { length } }) => ({ at, length })),
    ...locks.map((lock) => ({ at: lock.at, length: lengthOfLock(lock) })),
  ]
  const block = fences.length > 0 ? packFenced(text, fences) : pack(text)
  if (unpack(block, text.length) !== text) throw new Error('a packed payload does not match the original')
  return block
}

function packSplit({ code, slots, numbers, locks }: Built, place: DataPlace): SplitBuild {
  const [data, interpreter] = [dataOf(code, place), interpreterOf(code, place)]
  const at = place.from + 1
  const carried = interpreter.length <= MAX_CARRIED_BYTES ? packInterpreter(interpreter) : undefined
  return {
    data: packCopies(data, {
      slots: moveSlots(slots, -at),
      numbers: moveNumbers(numbers, -at),
      locks: moveLocks(locks, -at),
    }),
    size: data.length,
    at,
    interpreter: carried ?? null,
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(run(task)))
announceReady(parentPort)
