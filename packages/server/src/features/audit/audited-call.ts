/**
 * Derives a request's audit entry from the endpoint's declaration, so that endpoints don't write their own.
 */

import type { Endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Deed, Members } from './entry.ts'
import { recordingOf } from './record.ts'
import { reportChange } from './report-change.ts'

type Call = Parameters<Endpoint['handle']>[0]

/**
 * Returns undefined for requests that neither change anything (such as dry runs) nor read a source. Also
 * returns undefined for client requests, because executions are recorded separately.
 */
function auditContextOf(
  { method, changes = method !== 'GET', auth, name, scope, path }: Endpoint,
  { subject, caller, params, query, body, origin }: Call,
): Deed | undefined {
  const given = { ...(query as Members), ...(body as Members | undefined) }
  // Sources are otherwise secret, so reading one is recorded too.
  const isRead = scope === 'scripts:source'
  if (!(changes || isRead) || auth === 'client' || given.dry_run === true) return undefined
  const isOwn = scope !== 'admin' && subject !== undefined
  return {
    customerId: isOwn ? customerIdOf(subject) : undefined,
    actor: caller?.actor,
    address: origin.address === '' ? undefined : origin.address,
    requestId: origin.requestId,
    action: name,
    nouns: params as Readonly<Record<string, string>>,
    before: isRead || path.endsWith('/new') ? undefined : nounOf(path, subject),
    body: given,
  }
}

/** Runs the endpoint and records an audit entry if the request needs one. */
export async function callAudited(given: Deps, endpoint: Endpoint, call: Call) {
  const deps = { ...given, ...call.origin.own }
  const deed = auditContextOf(endpoint, call)
  if (deed === undefined) return endpoint.handle(call, deps)
  const recording = recordingOf(deps, deed)
  const outcome = await endpoint.handle(call, recording.deps)
  if (outcome instanceof Refused) return outcome
  const noted = await recording.finish()
  const event = endpoint.event ?? (endpoint.scope === 'admin' ? 'operator_change' : undefined)
  if (event !== undefined) reportChange(deps, event, { deed, noted })
  return outcome
}

function customerIdOf(subject: NonNullable<Call['subject']>): string | undefined {
  if ('signIn' in subject) return subject.seat?.customer.id
  if ('caller' in subject) return subject.customer?.id
  return 'customer' in subject ? subject.customer.id : subject.id
}

/**
 * Returns the row that the body changes: the resource in the path, or the account itself. Endpoints that
 * change another row, such as a plan or a channel, pass it to `annotateAudit` as `before`.
 */
function nounOf(path: string, subject: Call['subject']): Members | undefined {
  if (subject === undefined) return undefined
  const all = subject as Members
  const named = all.user ?? all.script ?? all.checkpoint ?? all.system ?? all.project
  return (named ?? (path.startsWith('/v1/account') ? subject : undefined)) as Members | undefined
}
