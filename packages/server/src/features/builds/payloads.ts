/**
 * A granted client's payload: a version's protected code, watermarked for this execution. It is sent inline
 * in the response, or in chunks if it is large.
 */
import {
  LOCKS_LOADER_BUILD,
  MESSAGES_LOADER_BUILD,
  SERVER_CODE_LOADER_BUILD,
} from '@scriptward/client/live-messages'
import { type Grant, type Hello, MAX_INLINE_CHARACTERS } from '@scriptward/client/messages'
import {
  type LockPlace,
  moveLocks,
  moveNumbers,
  moveSlots,
  type ServedNumbers,
  type Slot,
} from '@scriptward/obfuscator'
import type { Deps } from '../../deps.ts'
import type { Payload, Sendable, Split, Template } from '../../protocol/payload-cache.ts'
import { findPayload, type PayloadRow } from '../scripts/store/script-versions.ts'
import { encryptTexts, findLockedTexts } from './locked-texts.ts'
import { readNumbers, readSlots } from './stored-slots.ts'
import { type Copy, codeWord, findMarks, levelsOf, mark, markNumbers, watermarkKey } from './watermark.ts'

export const CHUNK_BYTES = 256 * 1024
const MAX_INLINE_BYTES = (MAX_INLINE_CHARACTERS / 4) * 3

export type Version = { readonly id: string; readonly version: number }

export async function loadPayload(deps: Deps, { id, version }: Version): Promise<Payload | undefined> {
  const { payloads } = deps.client
  const cached = payloads.findPayload(id, version)
  if (cached) return cached
  const row = await findPayload(deps.db.read, id, version)
  if (!row) return undefined
  const serviceKey = row.service_key && deps.secrets.open('serviceKey', id, row.service_key)
  const places = {
    slots: readSlots(row.slots),
    numbers: readNumbers(row.slots),
    locks: readLocks(row.locks),
    serviceKey,
  }
  const payload = {
    ...sendable(row.payload, row.payload_size, places),
    split: readSplit(row, places),
    messages: openMessages(deps, id, row.messages),
    callsServer: row.calls_server !== null,
  }
  payloads.keepPayload(id, version, payload)
  return payload
}

/** A version's messages to Discord channels, in the order of their numbers. */
export function openMessages(
  { secrets }: Pick<Deps, 'secrets'>,
  scriptId: string,
  sealed: Uint8Array | null,
): readonly Template[] {
  return sealed === null ? [] : (JSON.parse(secrets.openText('messages', scriptId, sealed)) as Template[])
}

/** The oldest loader build that can run the payload. */
export function lowestBuildFor({ locked, messages, callsServer }: Payload): number {
  if (callsServer) return SERVER_CODE_LOADER_BUILD
  if (messages.length > 0) return MESSAGES_LOADER_BUILD
  return locked ? LOCKS_LOADER_BUILD : 0
}

/** Positions of the parts that differ between copies. */
type Places = {
  readonly slots: readonly Slot[]
  readonly numbers: ServedNumbers
  readonly locks: readonly LockPlace[]
  readonly serviceKey: Buffer | null
}

function sendable(bytes: Uint8Array, size: number, { slots, numbers, locks, serviceKey }: Places): Sendable {
  const block = Buffer.from(bytes)
  return {
    block,
    size,
    marks: slots.length > 0 ? findMarks(block, slots, numbers) : null,
    locked: serviceKey && findLockedTexts(block, locks, serviceKey),
  }
}

/** In the Lua chunk, the data is enclosed in braces. */
function readSplit(row: PayloadRow, { slots, numbers, locks, serviceKey }: Places): Split | null {
  const { data, data_size: size, data_at: at, interpreter } = row
  if (data === null || size === null || at === null) return null
  const place = [at - 1, at + size + 1] as const
  const moved = {
    slots: moveSlots(slots, -at),
    numbers: moveNumbers(numbers, -at),
    locks: moveLocks(locks, -at),
    serviceKey,
  }
  return { data: sendable(data, size, moved), place, interpreter }
}

/** Serializes a version's locks: each lock's position, key stream size, and a 1 if the lock is automatic. */
export function writeLocks(locks: readonly LockPlace[]): string {
  return JSON.stringify(locks.map(({ at, size, isAutomatic }) => (isAutomatic ? [at, size, 1] : [at, size])))
}

function readLocks(text: string): readonly LockPlace[] {
  const rows = JSON.parse(text) as [number, number, 1?][]
  return rows.map(([at, size, automatic]) => ({ at, size, isAutomatic: automatic === 1 }))
}

/** The part of a payload to send, and its description in the grant. */
export type Shipment = { readonly sent: Sendable; readonly described: Grant['payload'] }

/**
 * Sends only the data to a loader that contains this version's interpreter, and the entire Lua chunk to
 * others. Some loaders compile everything in the chunk except the data. Chunked downloads always cover the
 * entire payload, so serving them does not depend on the loader.
 */
export function ship(payload: Payload, { caps, sv }: Hello, version: number): Shipment {
  const { split } = payload
  if (split === null || caps.vm === undefined) return describe(payload, { kind: 'source' })
  const isCarried = caps.vm && sv === version && split.interpreter !== null
  if (isCarried && split.data.block.length <= MAX_INLINE_BYTES) return describe(split.data, { kind: 'vm' })
  return describe(payload, { kind: 'vm', data: split.place })
}

function describe(sent: Sendable, kind: Pick<Grant['payload'], 'kind' | 'data'>): Shipment {
  const { size } = sent
  const { length: len } = sent.block
  const isInline = len <= MAX_INLINE_BYTES
  const chunks = isInline ? 0 : Math.ceil(len / CHUNK_BYTES)
  return { sent, described: { mode: isInline ? 'inline' : 'chunks', ...kind, z: 'lz4', len, chunks, size } }
}

/** Adds this copy's watermark and encrypted strings to the block. Repeated calls return the same bytes. */
export function blockOf(
  { secrets }: Deps,
  { block, marks, locked }: Sendable,
  { projectId, ...copy }: Copy & { readonly projectId: string },
): Buffer {
  if (marks === null && locked === null) return block
  const own = Buffer.from(block)
  if (marks) {
    const key = watermarkKey(secrets.watermarkRoot, projectId)
    mark(own, marks, codeWord(key, copy, marks.slots))
    if (marks.numbers) markNumbers(own, marks.numbers, levelsOf(key, copy.holder, marks))
  }
  if (locked) encryptTexts(own, locked, copy.exec)
  return own
}
