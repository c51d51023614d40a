/** Errors for requests that the worker pool did not complete. */
import type { Offloaded } from '../offload/pool.ts'
import { type Refused, refuse, refuseMember } from './refusals.ts'

/** Seconds after which an account that has too much running and queued work should retry. */
const BUSY_RETRY_S = 10

/** `field` is the field whose size made the work too expensive, and `fix` describes what to send instead. */
export function refuseUndone(
  { failed }: Extract<Offloaded<unknown>, { readonly failed: string }>,
  field: string,
  fix: string,
): Refused<'rate_limited' | 'invalid_request' | 'internal' | 'unavailable'> {
  if (failed === 'deadline' || failed === 'memory') return refuseMember(field, fix)
  if (failed === 'full') return refuse('rate_limited', { retry_after: BUSY_RETRY_S })
  return refuse(failed === 'fault' ? 'internal' : 'unavailable')
}
