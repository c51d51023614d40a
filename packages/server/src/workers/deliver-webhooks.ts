/**
 * Sends what waits in the outbox. Any number of processes may: an address is claimed by one of them for a short while,
 * and what is under way when a process dies is sent again by another. One claim is served in `serve-webhook.ts`.
 */
import { setTimeout } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { Lull } from '../lulls.ts'
import { deleteOldEvents } from '../store/outbox.ts'
import {
  claimDueWebhooks,
  findDueWebhook,
  updateSleepingWebhooks,
  type WebhookTarget,
} from '../store/webhooks.ts'
import type { Sender } from '../webhooks/sender.ts'
import { FreshEvents } from './fresh-events.ts'
import { GivenBack } from './given-back.ts'
import { HostPlaces } from './host-places.ts'
import { LEASE_MS, serveWebhook } from './serve-webhook.ts'
import type { Worker } from './worker.ts'

export type WebhookWorker = Worker & {
  /** Waits for what is under way, for a while; what is not answered by then is sent again after the next start. */
  close(): Promise<void>
}

export type Delivering = {
  readonly sender: Sender
  /** Told of every address that could not be served because of a fault in here. */
  readonly failed: (error: unknown) => void
  /** Resolves when patience with what is under way ends. */
  readonly patience: () => Promise<void>
  readonly lull: Lull
}

const EVERY_MS = 250
/** Addresses served at once. A receiver that hangs holds one of these places for seconds, then is left alone for longer. */
const PLACES = 128
/** Fewer than there are places, so that requests are answered in between. */
const CLAIMED_AT_ONCE = 32
/** Messages that are begun in one lull: a few together cost the service's thread and the sender's less than one by one. */
const BEGUN_TOGETHER = 8
/** Between those, and between two of a flood, each of which takes a millisecond. */
const PAUSE_MS = 3
const TIDY_EVERY_MS = 30_000
const KEPT_MS = 30 * 86_400_000
const REMOVED_AT_ONCE = 1000

export function webhookWorker(deps: Deps, { sender, failed, patience, lull }: Delivering): WebhookWorker {
  const active = new Set<Promise<void>>()
  const ending = new AbortController()
  const serving = { deps, sender, hosts: new HostPlaces(), ended: ending.signal }
  const fresh = new FreshEvents()
  const givenBack = new GivenBack()
  let tidiedAt = 0
  let isFlooded = false

  const serve = ({ target, until }: Claimed) => {
    const one: Promise<void> = serveWebhook(serving, target, until)
      .catch(failed)
      .finally(() => {
        active.delete(one)
        givenBack.add(target.seq)
      })
    active.add(one)
  }
  return {
    name: 'deliver-webhooks',
    everyMs: EVERY_MS,
    async run(stopped): Promise<boolean> {
      if (active.size >= PLACES) {
        await Promise.race([...active, aborted(stopped)])
        return true
      }
      const now = deps.now()
      const sleeping = [...givenBack.take(now), ...(await fresh.take(deps.db.read))]
      if (Math.abs(now - tidiedAt) >= TIDY_EVERY_MS) {
        tidiedAt = now
        await tidy(deps, now)
      }
      const limit = Math.min(CLAIMED_AT_ONCE, PLACES - active.size)
      const claimed = await claim(deps, { sleeping, limit })
      isFlooded = claimed.length === limit
      const together = isFlooded ? 1 : BEGUN_TOGETHER
      for (const [index, one] of claimed.entries()) {
        if (index > 0 && index % together === 0) await setTimeout(PAUSE_MS)
        if (!isFlooded && index % together === 0) await lull()
        serve(one)
      }
      return isFlooded
    },
    async close(): Promise<void> {
      await Promise.race([Promise.all(active), patience()])
      ending.abort()
      await sender.stop()
      await Promise.all(active)
    },
  }
}

type Claimed = { readonly target: WebhookTarget; readonly until: number }

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

type Claiming = {
  /** Addresses that may have something to send and not be due. */
  readonly sleeping: readonly number[]
  readonly limit: number
}

async function claim(deps: Deps, { sleeping, limit }: Claiming): Promise<Claimed[]> {
  const now = deps.now()
  const isAwake = sleeping.length === 0
  if (isAwake && (await findDueWebhook(deps.db.read, now)) === null) return []
  const until = now + LEASE_MS
  const targets = await deps.db.transaction(async (tx) => {
    if (!isAwake) await updateSleepingWebhooks(tx, sleeping)
    return claimDueWebhooks(tx, { now, until, limit })
  })
  return targets.map((target) => ({ target, until }))
}

async function tidy(deps: Deps, now: number): Promise<void> {
  await deps.db.transaction((tx) => updateSleepingWebhooks(tx))
  await deps.db.transaction((tx) => deleteOldEvents(tx, now - KEPT_MS, REMOVED_AT_ONCE))
}
