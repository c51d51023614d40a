/** What a request is answered whose work in the pool came to no result. */
import type { Offloaded } from '../offload/pool.ts'
import { type Refused, refuse, refuseMember } from './refusals.ts'

/** Seconds until an account should retry that has too much running and waiting. */
const BUSY_RETRY_S = 10

/** `field` is the member whose size made the work too much, and `fix` says what to send instead. */
export function refuseUndone(
  { failed }: Extract<Offloaded<unknown>, { readonly failed: string }>,
  field: string,
  fix: string,
): Refused<'rate_limited' | 'invalid_request' | 'internal' | 'unavailable'> {
  if (failed === 'deadline' || failed === 'memory') return refuseMember(field, fix)
  if (failed === 'full') return refuse('rate_limited', { retry_after: BUSY_RETRY_S })
  return refuse(failed === 'fault' ? 'internal' : 'unavailable')
}
