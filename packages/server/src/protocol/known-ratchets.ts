/**
 * Where the ratchets of instances stand that beat at this process, so that it need not open what rests in the database.
 * Nothing here is the truth: a ratchet that another process moved on is found out by the number of its last beat.
 */
import { remember } from '../limits/remember.ts'

/** The number of the last beat, and the state that the next one is sealed under. */
export type Ratchet = { readonly n: number; readonly state: Buffer }
/** The bytes of the state as Latin-1, which takes less memory than they do by themselves. */
type Kept = { readonly n: number; readonly state: string }

/** About 250 bytes each. */
const MOST_RATCHETS = 20_000

export class KnownRatchets {
  readonly #ratchets = new Map<string, Kept>()

  find(exec: string): Ratchet | undefined {
    const kept = this.#ratchets.get(exec)
    return kept && { n: kept.n, state: Buffer.from(kept.state, 'latin1') }
  }

  keep(exec: string, { n, state }: Ratchet): void {
    remember(this.#ratchets, exec, { n, state: state.toString('latin1') }, MOST_RATCHETS)
  }

  forget(exec: string): void {
    this.#ratchets.delete(exec)
  }
}
