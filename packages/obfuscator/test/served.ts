/**
 * Simulates a server that issues key streams: builds programs with key streams, and runs the outputs with a
 * channel that provides them.
 */

import { createCipheriv, createHmac } from 'node:crypto'
import { obfuscate, type ServicePad, type Slot } from '../src/index.ts'
import type { LockPlace } from '../src/lock-keystream.ts'
import type { ObfuscateOptions } from '../src/options.ts'

export type Served = {
  readonly code: string
  readonly pads: readonly Uint8Array[]
  readonly locks: readonly LockPlace[]
  readonly slots: readonly Slot[]
  readonly warnings: string
}

/**
 * Derives key streams from a secret as the server does: a key for each lock, and the key stream from that
 * key.
 */
export function padsOf(secret: string): ServicePad {
  return (lock, size) => {
    const key = createHmac('sha256', secret).update(`${lock}`).digest()
    return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(size))
  }
}

export function serve(source: string, options: ObfuscateOptions = {}, secret = 'secret'): Served {
  const servicePad = padsOf(secret)
  const result = obfuscate(source, { preset: 'max', parameters: [], ...options, servicePad })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  const pads = result.locks.map(({ size }, lock) => servicePad(lock, size))
  return {
    code: result.code,
    pads,
    locks: result.locks,
    slots: result.slots,
    warnings: result.report.warnings.join(),
  }
}

/**
 * Returns a chunk that runs the output as a loader with these key streams would. `isOpen` is a Lua condition
 * that determines whether a lock may be opened.
 */
export function withChannel({ code, pads }: Pick<Served, 'code' | 'pads'>, isOpen = 'true'): string {
  const list = pads.map((pad) => `"${[...pad].map(escaped).join('')}"`).join(',')
  return `local pads = { ${list} }
    return (function(...) ${code}
    end)(nil, function(lock, size)
      local pad = pads[lock + 1]
      if not (${isOpen}) then error('no lease for ' .. lock, 0) end
      if #pad ~= size then error('a pad of another size', 0) end
      return pad
    end)(...)`
}

/** Returns a chunk that runs the output without a grant, so that no lock opens. */
export function withoutGrant({ code }: Pick<Served, 'code'>): string {
  return `return (function(...) ${code}
    end)(nil, function(lock) return error('no lease for ' .. lock, 0) end)(...)`
}

function escaped(byte: number): string {
  return `\\${String(byte).padStart(3, '0')}`
}
