/**
 * Collects the networks where keys were used since the last write. Most executions come from the same network
 * as the previous one, and cost one map lookup. The rest are written in one batch every few seconds.
 */
import { remember } from '../../platform/limits/remember.ts'
import { storedNetworkOf } from '../bans/ban-names.ts'

export type KeyUse = {
  readonly user_seq: number
  readonly project_id: string
  /** The network of the last granted execution as hex digits. Null if there was none. */
  network: string | null
  /** Networks of granted executions, and of executions that were denied because of their device. */
  readonly networks: Set<string>
  /** Devices on which the key was denied. */
  readonly devices: Set<string>
  at: number
}
type UsedKey = { readonly seq: number; readonly project_id: string }
type Seen = { readonly address: string; readonly now: number }

const DAY_MS = 86_400_000
/** Maximum number of last uses to remember. There is one per key, and one per key and denied device. */
const REMEMBERED = 50_000
/** Maximum number of keys used between two writes, far more than we expect in practice. */
const MAX_WAITING = 50_000
/** Maximum number of networks, and also of devices, per key between two writes. */
const AT_ONCE = 8

export class KeyUses {
  #waiting = new Map<number, KeyUse>()
  /** The network and day of the last use, by key or by key and denied device. */
  readonly #noted = new Map<string, string>()
  /** Keys whose network changed, each with the time of the change, oldest first. */
  readonly #moved: { readonly seq: number; readonly at: number }[] = []

  /** Records a granted execution. */
  noteUse(user: UsedKey, { address, now }: Seen): void {
    const network = storedNetworkOf(address)
    if (network === undefined || !this.#isNew(`${user.seq}`, `${network} ${dayOf(now)}`)) return
    if (this.#moved.length < MAX_WAITING) this.#moved.push({ seq: user.seq, at: now })
    const use = this.#find(user, now)
    if (!use) return
    use.network = network
    addSome(use.networks, network)
  }

  /** Records an execution that was denied because the key is bound to another device. */
  noteRefused(user: UsedKey, { address, now, device }: Seen & { readonly device: string }): void {
    const network = storedNetworkOf(address)
    if (!this.#isNew(`${user.seq} ${device}`, `${network} ${dayOf(now)}`)) return
    const use = this.#find(user, now)
    if (!use) return
    addSome(use.devices, device)
    if (network !== undefined) addSome(use.networks, network)
  }

  /** Returns all collected uses and clears them. */
  takeUses(): KeyUse[] {
    const taken = [...this.#waiting.values()]
    this.#waiting = new Map()
    return taken
  }

  /**
   * Returns the sequence numbers of users whose network changed at this time or earlier. Each change is
   * returned once.
   */
  takeMoved(until: number): number[] {
    const later = this.#moved.findIndex(({ at }) => at > until)
    const taken = this.#moved.splice(0, later === -1 ? this.#moved.length : later)
    return [...new Set(taken.map(({ seq }) => seq))]
  }

  /** Puts back uses that could not be written. */
  returnUses(uses: readonly KeyUse[]): void {
    for (const one of uses) {
      const use = this.#find({ seq: one.user_seq, project_id: one.project_id }, one.at)
      if (!use) return
      use.network ??= one.network
      for (const network of one.networks) addSome(use.networks, network)
      for (const device of one.devices) addSome(use.devices, device)
    }
  }

  #isNew(name: string, where: string): boolean {
    if (this.#noted.get(name) === where) return false
    remember(this.#noted, name, where, REMEMBERED)
    return true
  }

  #find({ seq, project_id }: UsedKey, at: number): KeyUse | undefined {
    const known = this.#waiting.get(seq)
    if (known) {
      known.at = Math.max(known.at, at)
      return known
    }
    if (this.#waiting.size >= MAX_WAITING) return undefined
    const use = {
      user_seq: seq,
      project_id,
      network: null,
      networks: new Set<string>(),
      devices: new Set<string>(),
      at,
    }
    this.#waiting.set(seq, use)
    return use
  }
}

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS)
}

function addSome(set: Set<string>, value: string): void {
  if (set.size < AT_ONCE) set.add(value)
}
