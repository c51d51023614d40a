/**
 * Where keys were used since it was last written. Most executions come from the network of the one before, and cost a look
 * into a map; the others are written together every few seconds.
 */
import { remember } from '../../platform/limits/remember.ts'
import { storedNetworkOf } from '../bans/ban-names.ts'

export type KeyUse = {
  readonly user_seq: number
  readonly project_id: string
  /** Digits of the network of the last granted execution; null when there was none. */
  network: string | null
  /** Of granted executions, and of those that were refused for their device. */
  readonly networks: Set<string>
  /** Names of devices that were refused. */
  readonly devices: Set<string>
  at: number
}
type UsedKey = { readonly seq: number; readonly project_id: string }
type Seen = { readonly address: string; readonly now: number }

const DAY_MS = 86_400_000
/** Keys of which the last network is remembered. */
const REMEMBERED = 50_000
/** More keys than are used between two writes. */
const MAX_WAITING = 50_000
/** Networks and devices of one key between two writes. */
const AT_ONCE = 8

export class KeyUses {
  #waiting = new Map<number, KeyUse>()
  /** Name of a key or of its refused device → where it was seen, and on which day. */
  readonly #noted = new Map<string, string>()

  /** Of a granted execution. */
  noteUse(user: UsedKey, { address, now }: Seen): void {
    const network = storedNetworkOf(address)
    if (network === undefined || !this.#isNew(`${user.seq}`, `${network} ${dayOf(now)}`)) return
    const use = this.#find(user, now)
    if (!use) return
    use.network = network
    addSome(use.networks, network)
  }

  /** Of an execution that was refused because the key is bound to another device. */
  noteRefused(user: UsedKey, { address, now, device }: Seen & { readonly device: string }): void {
    const network = storedNetworkOf(address)
    if (!this.#isNew(`${user.seq} ${device}`, `${network} ${dayOf(now)}`)) return
    const use = this.#find(user, now)
    if (!use) return
    addSome(use.devices, device)
    if (network !== undefined) addSome(use.networks, network)
  }

  /** All uses, which are the caller's from now on. */
  takeUses(): KeyUse[] {
    const taken = [...this.#waiting.values()]
    this.#waiting = new Map()
    return taken
  }

  /** Uses that could not be written. */
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
