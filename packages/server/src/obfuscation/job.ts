/**
 * One obfuscation, as a worker thread runs it. Deadline and memory limit are the pool's business; a throw here is a
 * fault of the obfuscator, never of the script.
 */
import { obfuscate } from '@scriptward/obfuscator'
import { packFenced } from './fenced-lz4.ts'
import { pack, unpack } from './lz4.ts'
import type { Complaint, ObfuscationOptions, Protected } from './pool.ts'

export type Task = { readonly source: string; readonly options: ObfuscationOptions }

export function run({ source, options }: Task): Protected | { errors: readonly Complaint[] } {
  const start = performance.now()
  const built = obfuscate(source, options)
  if ('errors' in built) return { errors: built.errors }
  const { code, slots, report } = built
  const fences = slots.flat().map(({ at, text }) => ({ at, length: text.length }))
  const payload = fences.length > 0 ? packFenced(code, fences) : pack(code)
  if (unpack(payload, code.length) !== code) throw new Error('a packed payload is not what was packed')
  const durationMs = Math.round(performance.now() - start)
  return { payload, size: code.length, slots, report, durationMs }
}
