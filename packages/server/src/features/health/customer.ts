/** Identifies a run's customer by a hash. */
import { hash } from 'node:crypto'

/** Length of the hash, which is long enough to distinguish the customers of one version. */
const CUSTOMER_LENGTH = 16

type CustomerRun = { readonly user_key: string | null; readonly device: string | null; readonly exec: string }

/**
 * Counts all runs of a key as one customer, and all runs of a guest's device as another. Returns a hash, so
 * that no key is kept after its user is deleted.
 */
export function customerOf({ user_key, device, exec }: CustomerRun): string {
  return hash('sha256', user_key ?? device ?? exec, 'base64url').slice(0, CUSTOMER_LENGTH)
}
