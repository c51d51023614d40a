/** Identifies the customer of a run by a hash. */
import { hash } from 'node:crypto'

/** Enough to distinguish the customers of one version. */
const CUSTOMER_LENGTH = 16

type CustomerRun = { readonly user_key: string | null; readonly device: string | null; readonly exec: string }

/**
 * All runs of a key count as one customer, and so do all runs of a guest's device. Hashed, so that
 * no key outlives its user.
 */
export function customerOf({ user_key, device, exec }: CustomerRun): string {
  return hash('sha256', user_key ?? device ?? exec, 'base64url').slice(0, CUSTOMER_LENGTH)
}
