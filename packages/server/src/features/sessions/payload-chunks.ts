/** Serves payloads that are too large for the response of `/exec`, chunk by chunk. */
import { sealPayload } from '@scriptward/client/wire'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { CHUNK_GRANT_MS, type ChunkGrant } from '../../protocol/chunk-grants.ts'
import { blockOf, CHUNK_BYTES, loadPayload } from '../builds/payloads.ts'
import { nameHolder } from '../builds/watermark.ts'
import { openSecrets } from './instances.ts'
import { findInstanceState } from './store/live-instances.ts'

/**
 * Returns the encrypted chunk `n`, counted from 1, of a recently granted execution. A retry gets the same
 * bytes.
 */
export async function payloadChunk(
  deps: Deps,
  exec: string,
  n: number,
): Promise<Buffer | Refused<'not_found'>> {
  const granted = deps.client.chunkGrants.findGrant(exec, deps.now()) ?? (await findGrant(deps, exec))
  const payload = granted && (await loadPayload(deps, { id: granted.scriptId, version: granted.version }))
  if (!payload) return refuse('not_found')
  const block = blockOf(deps, payload, { ...granted, exec })
  const part = block.subarray((n - 1) * CHUNK_BYTES, n * CHUNK_BYTES)
  return part.length > 0 ? sealPayload(granted.key, exec, n, part) : refuse('not_found')
}

/** Finds an execution that another process granted. */
async function findGrant(deps: Deps, exec: string): Promise<ChunkGrant | undefined> {
  const instance = await findInstanceState(deps.db.readPoint, exec)
  if (!instance || deps.now() >= instance.granted_at + CHUNK_GRANT_MS) return undefined
  const key = openSecrets(deps, instance)?.payload
  const { project_id: projectId, script_id: scriptId, script_version: version } = instance
  const holder = nameHolder({ scriptId, version, userKey: instance.user_key, device: instance.device })
  return key && { key, holder, projectId, scriptId, version }
}
