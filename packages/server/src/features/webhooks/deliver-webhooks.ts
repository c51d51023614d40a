/**
 * Delivers webhooks to up to `MAX_CONCURRENT` endpoints concurrently, using `features/webhooks/deliver.ts`.
 */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { type Claimed, claimDueAddresses, deliverToAddress } from './deliver.ts'
import { HostConcurrency } from './host-concurrency.ts'
import type { Send } from './send/send.ts'
import type { Unsigned } from './send/sign.ts'

export type WebhookWorker = Worker & {
  /**
   * Waits for deliveries in flight until `patience` resolves. Unfinished deliveries are sent again after the
   * next startup.
   */
  close(): Promise<void>
}

export type WebhookJob = {
  readonly send: Send<Unsigned>
  /** Called with the error if a delivery fails because of a bug or an outage on this server. */
  readonly failed: (error: unknown) => void
  /** Resolves when deliveries in flight have had enough time to finish. */
  readonly patience: () => Promise<void>
}

const EVERY_MS = 250
/** A hanging receiver occupies one of these slots for seconds, after which its endpoint backs off. */
const MAX_CONCURRENT = 128
/**
 * Maximum number of endpoints per claim. It is lower than `MAX_CONCURRENT`, so that the process can serve
 * requests between two claims.
 */
const CLAIM_LIMIT = 32

export function webhookWorker(deps: Deps, { send, failed, patience }: WebhookJob): WebhookWorker {
  const inFlight = new Set<Promise<void>>()
  const stopping = new AbortController()
  const delivering = { deps, send, hosts: new HostConcurrency(), stopped: stopping.signal }
  const begin = (claimed: Claimed) => {
    const delivery: Promise<void> = deliverToAddress(delivering, claimed)
      .catch(failed)
      .finally(() => inFlight.delete(delivery))
    inFlight.add(delivery)
  }
  return {
    name: 'deliver-webhooks',
    everyMs: EVERY_MS,
    async run(stopped): Promise<boolean> {
      if (inFlight.size >= MAX_CONCURRENT) await Promise.race([...inFlight, aborted(stopped)])
      const limit = Math.min(CLAIM_LIMIT, MAX_CONCURRENT - inFlight.size)
      const claimed = stopped.aborted ? [] : await claimDueAddresses(deps, limit)
      for (const one of claimed) begin(one)
      return claimed.length > 0 && claimed.length === limit
    },
    async close(): Promise<void> {
      await Promise.race([Promise.all(inFlight), patience()])
      stopping.abort()
      await Promise.all(inFlight)
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
