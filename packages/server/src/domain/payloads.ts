/**
 * What a granted client is sent: the protected text of a version, with the code word of this execution in it, inside the
 * reply or, when it is large, in chunks.
 */
import { type Grant, MAX_INLINE_CHARACTERS } from '@scriptward/client/messages'
import type { Slot } from '@scriptward/obfuscator'
import type { Deps } from '../deps.ts'
import { DELIVERY_KEPT_MS, type Delivery } from '../protocol/deliveries.ts'
import { sealChunk } from '../protocol/handshake.ts'
import type { Payload } from '../protocol/payload-cache.ts'
import { codeWord, findMarks, mark, watermarkKey } from '../protocol/watermark.ts'
import { findStanding } from '../store/live-instances.ts'
import { findPayload } from '../store/script-versions.ts'
import { openSecrets } from './live-instances.ts'
import { type Refused, refuse } from './refusals.ts'

const CHUNK_BYTES = 256 * 1024
const MAX_INLINE_BYTES = (MAX_INLINE_CHARACTERS / 4) * 3

export type Version = { readonly id: string; readonly version: number }

export async function loadPayload(deps: Deps, { id, version }: Version): Promise<Payload | undefined> {
  const { payloads } = deps.protocol
  const kept = payloads.find(id, version)
  if (kept) return kept
  const row = await findPayload(deps.db.read, id, version)
  if (!row) return undefined
  const block = Buffer.from(row.payload)
  const slots = readSlots(row.slots)
  const payload = { block, size: row.payload_size, marks: slots.length > 0 ? findMarks(block, slots) : null }
  payloads.keep(id, version, payload)
  return payload
}

/** Slots as a version keeps them: for each one places and texts in turn. */
export function writeSlots(slots: readonly Slot[]): string {
  return JSON.stringify(slots.map((slot) => slot.flatMap(({ at, text }) => [at, text])))
}

export function readSlots(text: string): readonly Slot[] {
  const list = JSON.parse(text) as (number | string)[][]
  return list.map((slot) =>
    Array.from({ length: slot.length / 2 }, (_, i) => ({
      at: Number(slot[2 * i]),
      text: String(slot[2 * i + 1]),
    })),
  )
}

export function describePayload({ block, size }: Payload): Grant['payload'] {
  const isInline = block.length <= MAX_INLINE_BYTES
  const chunks = isInline ? 0 : Math.ceil(block.length / CHUNK_BYTES)
  return { mode: isInline ? 'inline' : 'chunks', kind: 'source', z: 'lz4', len: block.length, chunks, size }
}

/** The block as this execution alone is sent it, the same each time. */
export function markedBlock(
  { protocol }: Deps,
  { block, marks }: Payload,
  { projectId, exec }: { readonly projectId: string; readonly exec: string },
): Buffer {
  if (marks === null) return block
  const key = watermarkKey(protocol.keyring.watermarkRoot, projectId)
  return mark(block, marks, codeWord(key, exec, marks.slots))
}

/** Chunk `n`, counted from 1, of an execution that was granted lately; the same bytes each time it is asked for. */
export async function payloadChunk(
  deps: Deps,
  exec: string,
  n: number,
): Promise<string | Refused<'not_found'>> {
  const delivery = deps.protocol.deliveries.find(exec, deps.now()) ?? (await findDelivery(deps, exec))
  const payload = delivery && (await loadPayload(deps, { id: delivery.scriptId, version: delivery.version }))
  if (!payload) return refuse('not_found')
  const block = markedBlock(deps, payload, { projectId: delivery.projectId, exec })
  const part = block.subarray((n - 1) * CHUNK_BYTES, n * CHUNK_BYTES)
  return part.length > 0 ? sealChunk(delivery.key, { exec, n, part }) : refuse('not_found')
}

/** Of an execution that another process granted. */
async function findDelivery(deps: Deps, exec: string): Promise<Delivery | undefined> {
  const standing = await findStanding(deps.db.read, exec)
  if (!standing || deps.now() >= standing.granted_at + DELIVERY_KEPT_MS) return undefined
  const key = openSecrets(deps, standing)?.payload
  const { project_id: projectId, script_id: scriptId, script_version: version } = standing
  return key && { key, projectId, scriptId, version }
}
