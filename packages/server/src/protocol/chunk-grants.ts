/**
 * Large payloads that were granted and are fetched in chunks: which execution may fetch what, under which key. Only
 * names and keys are kept, for as long as a client needs to begin; the bytes come from where all payloads come from.
 */

export type ChunkGrant = {
  /** Of this execution's payload alone. */
  readonly key: Buffer
  readonly projectId: string
  readonly scriptId: string
  readonly version: number
}

export const CHUNK_GRANT_MS = 120_000
/** Each entry is about 400 bytes. */
const MOST_DELIVERIES = 20_000

export class ChunkGrants {
  readonly #grants = new Map<string, ChunkGrant & { readonly expires: number }>()

  keep(exec: string, grant: ChunkGrant, now: number): void {
    this.#grants.set(exec, { ...grant, expires: now + CHUNK_GRANT_MS })
    for (const [oldest, { expires }] of this.#grants) {
      if (expires > now && this.#grants.size <= MOST_DELIVERIES) break
      this.#grants.delete(oldest)
    }
  }

  find(exec: string, now: number): ChunkGrant | undefined {
    const grant = this.#grants.get(exec)
    return grant && now < grant.expires ? grant : undefined
  }
}
