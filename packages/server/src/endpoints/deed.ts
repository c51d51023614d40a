/** A request as the audit log sees it, made of its declaration: no endpoint writes an entry by itself. */

import { changesBetween } from '../domain/audit/changes.ts'
import type { Deed } from '../domain/audit/entry.ts'
import { masked } from '../domain/audit/mask.ts'
import type { Endpoint } from './endpoint.ts'

type Call = Parameters<Endpoint['handle']>[0]
type Members = Readonly<Record<string, unknown>>

/** Undefined for what changes nothing, and for clients, whose executions have records of their own. */
export function deedOf(
  { method, changes = method !== 'GET', auth, name, scope }: Endpoint,
  { subject, caller, params, body, origin }: Call,
): Deed | undefined {
  if (!changes || auth === 'client') return undefined
  const isOwn = scope !== 'admin' && subject !== undefined
  return {
    customerId: isOwn ? customerIdOf(subject) : undefined,
    actor: caller?.actor ?? { kind: 'person', id: null, name: '' },
    address: origin.address,
    requestId: origin.requestId,
    action: name,
    nouns: masked(params as Members) as Readonly<Record<string, string>>,
    changes: changesBetween(nounOf(subject), body),
  }
}

function customerIdOf(subject: NonNullable<Call['subject']>): string | undefined {
  if ('signIn' in subject) return subject.seat?.customer.id
  if ('caller' in subject) return subject.customer?.id
  return 'customer' in subject ? subject.customer.id : subject.id
}

/** The row that the body changes, if the path names one. */
function nounOf(subject: Call['subject']): Members {
  if (subject === undefined) return {}
  const all = subject as Members
  return (all.user ?? all.script ?? all.checkpoint ?? all.system ?? all.project ?? {}) as Members
}
