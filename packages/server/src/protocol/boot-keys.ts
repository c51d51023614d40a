/**
 * Boot secrets, the IDs created with them, and the IDs already used (client protocol §5, §7). The secret
 * changes every day and, without Valkey, every time the process starts, so that recorded traffic can't be
 * decrypted later. State shared by several processes is in a {@link BootStore}.
 */
import { BOOT_LIFETIME_MS, type BootFailure } from '@scriptward/client/messages'
import { type BootId, bootEphemeral, checkBootId, type KeyPair, makeBootId } from '@scriptward/client/wire'
import type { BootStore, Master } from './boot-store.ts'

export type IssuedBoot = { readonly id: Buffer; readonly ephemeral: KeyPair; readonly expires: number }
export type AcceptedBoot = BootId & {
  readonly ephemeral: KeyPair
  readonly day: number
  readonly master: Master
}

const DAY_MS = 24 * 60 * 60_000
/**
 * Around midnight, the secrets of both days are accepted for this long, because clocks differ between
 * machines.
 */
const BOTH_DAYS_MS = 5 * 60_000
/**
 * Maximum number of cached key pairs. Each uses about 2 KB of memory, and deriving one again takes half as
 * long as an execution.
 */
const MAX_PAIRS = 2000
/**
 * Maximum number of used IDs. They take up about 30 MB, which is enough for 800 executions per second over
 * the lifetime of their IDs.
 */
const MAX_SPENT = 200_000

export class BootKeys {
  readonly #random: (count: number) => Buffer
  readonly #store: BootStore
  /** Secrets by day. */
  readonly #masters = new Map<number, Master>()
  #latest: number
  /** Key pairs of the latest unused IDs, by nonce. Others are derived again. */
  readonly #pairs = new Map<string, KeyPair>()
  // Uses two generations instead of a timer for each ID. The older generation is dropped once all of its IDs
  // have expired.
  #spent = new Set<string>()
  #spentBefore = new Set<string>()
  #spentSince: number

  constructor(random: (count: number) => Buffer, store: BootStore, now: number) {
    this.#random = random
    this.#store = store
    this.#latest = now
    this.#spentSince = now
  }

  async issueBoot(scriptId: string, clock: number): Promise<IssuedBoot> {
    this.#advance(clock)
    const { secret } = await this.#masterOf(Math.floor(this.#latest / DAY_MS))
    const expires = this.#latest + BOOT_LIFETIME_MS
    const nonce = this.#random(12)
    const id = makeBootId(secret, { nonce, scriptId, expires })
    const ephemeral = bootEphemeral(secret, id)
    this.#cachePair(nonce.toString('hex'), ephemeral)
    return { id, ephemeral, expires }
  }

  /**
   * Checks that this installation issued the ID, and that the ID is neither expired nor used. `spendBoot`
   * marks it as used.
   */
  async checkBoot(boot: Buffer, clock: number): Promise<AcceptedBoot | BootFailure> {
    this.#advance(clock)
    let failure: BootFailure = 'boot_invalid'
    for (const day of this.#days()) {
      const master = await this.#masterOf(day)
      const checked = checkBootId(master.secret, boot, this.#latest)
      if (typeof checked !== 'string') return this.#unused(checked, { day, master, boot })
      if (checked !== 'boot_invalid') failure = checked
    }
    return failure
  }

  /**
   * Marks an ID as used for the body with this digest. `full`: there is no room left to remember the ID,
   * which must then be rejected.
   */
  async spendBoot(
    { nonce, day, master }: AcceptedBoot,
    digest: string,
  ): Promise<'spent' | 'full' | BootFailure> {
    if (this.#isSpent(nonce)) return 'boot_reused'
    if (this.#spent.size + this.#spentBefore.size >= MAX_SPENT) return 'full'
    this.#spent.add(nonce)
    this.#pairs.delete(nonce)
    const outcome = await this.#store.spendBoot(day, master, { nonce, digest })
    if (outcome !== 'forgotten') return outcome
    this.renew()
    return 'boot_invalid'
  }

  /** Reloads the secrets, because they may have changed. */
  renew(): void {
    this.#masters.clear()
    // Key pairs are derived from a secret, and must not outlive it.
    this.#pairs.clear()
  }

  async #masterOf(day: number): Promise<Master> {
    const known = this.#masters.get(day)
    if (known) return known
    const master = await this.#store.loadMaster(day)
    // A concurrent call may have completed first.
    const first = this.#masters.get(day) ?? master
    this.#masters.set(day, first)
    return first
  }

  /** Days whose secrets are currently accepted, the most likely first. */
  #days(): Set<number> {
    const around = [0, -BOTH_DAYS_MS, BOTH_DAYS_MS - 1]
    return new Set(around.map((ms) => Math.floor((this.#latest + ms) / DAY_MS)))
  }

  #unused(
    id: BootId,
    { boot, ...of }: { readonly day: number; readonly master: Master; readonly boot: Buffer },
  ): AcceptedBoot | BootFailure {
    if (this.#isSpent(id.nonce)) return 'boot_reused'
    const ephemeral = this.#pairs.get(id.nonce) ?? bootEphemeral(of.master.secret, boot)
    return { ...id, ...of, ephemeral }
  }

  #cachePair(nonce: string, pair: KeyPair): void {
    this.#pairs.set(nonce, pair)
    if (this.#pairs.size <= MAX_PAIRS) return
    const oldest = this.#pairs.keys().next()
    if (!oldest.done) this.#pairs.delete(oldest.value)
  }

  #isSpent(nonce: string): boolean {
    return this.#spent.has(nonce) || this.#spentBefore.has(nonce)
  }

  #advance(clock: number): void {
    // Setting the clock back must not revive IDs that were dropped as expired.
    this.#latest = Math.max(this.#latest, clock)
    const days = this.#days()
    for (const day of this.#masters.keys()) {
      if (days.has(day)) continue
      this.#masters.delete(day)
      this.#pairs.clear()
    }
    if (this.#latest - this.#spentSince < BOOT_LIFETIME_MS) return
    this.#spentBefore = this.#spent
    this.#spent = new Set()
    this.#spentSince = this.#latest
  }
}
