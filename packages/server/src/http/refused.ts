/** Counts requests that are denied for lack of permission, for the account's audit log. */
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../api/endpoint.ts'
import type { Refused } from '../api/refusals.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../features/access/caller.ts'
import { findHolder } from '../features/access/callers.ts'
import type { Credential } from '../features/access/credential.ts'
import { DENIALS } from '../features/audit/refused-requests.ts'

type Sent = Pick<FastifyRequest, 'id' | 'ip'>
type Where = { readonly deps: Deps; readonly endpoint: Endpoint }
type Sender = { readonly caller: Caller; readonly customerId: string }

/** Looks up the caller of a request whose credential was rejected, and counts the rejection. */
export async function noteRefused(
  where: Where,
  credential: Credential | undefined,
  { request, refused }: { readonly request: Sent; readonly refused: Refused },
): Promise<void> {
  if (!DENIALS.has(refused.reason) || credential === undefined) return
  const holder = await findHolder(where.deps, credential)
  if (holder?.customer === undefined) return
  countRefused(where, { caller: holder.caller, customerId: holder.customer.id }, { request, refused })
}

export function countRefused(
  { deps, endpoint }: Where,
  { caller, customerId }: Sender,
  { request, refused }: { readonly request: Sent; readonly refused: Refused },
): void {
  if (!DENIALS.has(refused.reason)) return
  const sent = {
    operation: endpoint.name,
    reason: refused.reason,
    address: request.ip,
    requestId: request.id,
  }
  deps.refusedRequests.count({ customerId, actor: caller.actor, ...sent }, deps.now())
}
