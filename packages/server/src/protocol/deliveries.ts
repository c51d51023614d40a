/**
 * Large payloads that were granted and are fetched in chunks: which execution may fetch what, under which key. Only
 * names and keys are kept, for as long as a client needs to begin; the bytes come from where all payloads come from.
 */

export type Delivery = {
  /** Of this execution's payload alone. */
  readonly key: Buffer
  readonly projectId: string
  readonly scriptId: string
  readonly version: number
}

export const DELIVERY_KEPT_MS = 120_000
/** Each entry is about 400 bytes. */
const MOST_DELIVERIES = 20_000

export class Deliveries {
  readonly #deliveries = new Map<string, Delivery & { readonly expires: number }>()

  keep(exec: string, delivery: Delivery, now: number): void {
    this.#deliveries.set(exec, { ...delivery, expires: now + DELIVERY_KEPT_MS })
    for (const [oldest, { expires }] of this.#deliveries) {
      if (expires > now && this.#deliveries.size <= MOST_DELIVERIES) break
      this.#deliveries.delete(oldest)
    }
  }

  find(exec: string, now: number): Delivery | undefined {
    const delivery = this.#deliveries.get(exec)
    return delivery && now < delivery.expires ? delivery : undefined
  }
}
