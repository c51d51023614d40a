/**
 * Records which executions may fetch a large payload in chunks, and with which key. The chunks themselves are
 * cut from the payload as they are fetched.
 */

export type ChunkGrant = {
  /** Key for this execution's payload only. */
  readonly key: Buffer
  /** The user or device whose watermark the payload contains. */
  readonly holder: string
  readonly projectId: string
  readonly scriptId: string
  readonly version: number
}

/** Time that a client has to fetch its chunks. */
export const CHUNK_GRANT_MS = 120_000
/** Each entry takes up about 400 bytes. */
const MAX_GRANTS = 20_000

export class ChunkGrants {
  readonly #grants = new Map<string, ChunkGrant & { readonly expires: number }>()

  addGrant(exec: string, grant: ChunkGrant, now: number): void {
    this.#grants.set(exec, { ...grant, expires: now + CHUNK_GRANT_MS })
    for (const [oldest, { expires }] of this.#grants) {
      if (expires > now && this.#grants.size <= MAX_GRANTS) break
      this.#grants.delete(oldest)
    }
  }

  findGrant(exec: string, now: number): ChunkGrant | undefined {
    const grant = this.#grants.get(exec)
    return grant && now < grant.expires ? grant : undefined
  }
}
