/**
 * The whole exchange of `/exec`, from the body that a client sent to the text that it is answered: limits, opening,
 * the execution, sealing. What can be read is answered sealed; the rest is named, for an answer in the clear.
 */
import { BadHello } from '@scriptward/client/hello'
import { type Denial, denial } from '@scriptward/client/messages'
import type { Deps } from '../deps.ts'
import {
  executionKeys,
  type Opened,
  type OpenFailure,
  openHandshake,
  sealDenial,
  sealGrant,
} from '../protocol/handshake.ts'
import { countDenial, limitAddress, limitExecution } from './attempts.ts'
import { recordLimited } from './denials.ts'
import type { Headers } from './device.ts'
import { type Execution, execute } from './execution.ts'
import { markedBlock } from './payloads.ts'
import type { Refused } from './refusals.ts'

export type Sender = { readonly address: string; readonly headers: Headers }

/** `sealed` only its asker can read; `failure` says why nothing could be sealed. */
export type Exchanged = { readonly sealed: string } | { readonly failure: OpenFailure }

export async function exchange(
  deps: Deps,
  body: string,
  sender: Sender,
): Promise<Exchanged | Refused<'rate_limited'>> {
  const flood = await limitAddress(deps, 'execFlood', sender.address)
  if (flood) return flood
  const opened = await openHandshake(deps.protocol, body, deps.now())
  if (typeof opened === 'string') return { failure: opened }
  const outcome = await decide(deps, opened, sender)
  if ('ok' in outcome) return { sealed: sealDenial(opened.keys, outcome) }
  return { sealed: sealExecution(deps, opened.keys, outcome) }
}

function sealExecution(deps: Deps, keys: Opened['keys'], execution: Execution): string {
  const { grant, projectId, sent, payloadKey: key } = execution
  if (grant.payload.chunks === 0) {
    const block = markedBlock(deps, sent, { projectId, exec: grant.exec })
    return sealGrant(keys, grant, { key, block })
  }
  const { id: scriptId, version } = grant.script
  deps.protocol.deliveries.keep(grant.exec, { key, projectId, scriptId, version }, deps.now())
  return sealGrant(keys, grant)
}

async function decide(
  deps: Deps,
  { hello, isBootFor, keys }: Opened,
  sender: Sender,
): Promise<Execution | Denial> {
  if (hello instanceof BadHello) {
    return denial('bad_request', { details: { member: hello.member, mend: hello.mend } })
  }
  const limited = await limitExecution(deps, hello, sender.address)
  if (limited) {
    await recordLimited(deps, { hello, ...sender }, limited)
    return limited
  }
  const outcome = await execute(deps, {
    hello,
    isBootFor,
    keysOf: (gn) => executionKeys(keys, gn),
    ...sender,
  })
  if ('ok' in outcome) await countDenial(deps, outcome, sender.address)
  return outcome
}
