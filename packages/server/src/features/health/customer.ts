/** Names the customers of runs. */
import { hash } from 'node:crypto'

/** Enough to tell the customers of one version apart. */
const CUSTOMER_LENGTH = 16

type CustomerRun = { readonly user_key: string | null; readonly device: string | null; readonly exec: string }

/** Runs of one key are those of one customer, and so are those of a guest's device. Hashed, so that no key outlives its user. */
export function customerOf({ user_key, device, exec }: CustomerRun): string {
  return hash('sha256', user_key ?? device ?? exec, 'base64url').slice(0, CUSTOMER_LENGTH)
}
