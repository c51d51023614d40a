/**
 * Handles the `/exec` exchange: applies rate limits, decrypts the body, runs the execution and encrypts the
 * answer. If the body can't be decrypted, the server sends the name of the failure unencrypted. If a client
 * repeats a body because the response was lost, it gets the same encrypted boxes, and nothing changes.
 */
import { BadHello } from '@scriptward/client/hello'
import type { Denial } from '@scriptward/client/messages'
import { sealPayload, sealReplyBox } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import type { CachedPayload } from '../../protocol/answer-cache.ts'
import {
  executionKeys,
  nameBody,
  type Opened,
  type OpenFailure,
  openHandshake,
} from '../../protocol/handshake.ts'
import type { Sendable } from '../../protocol/payload-cache.ts'
import { limitExecution } from '../abuse/attempts.ts'
import { blockOf, loadPayload } from '../builds/payloads.ts'
import type { ClientTraits } from '../devices/device-data.ts'
import { keyAsIssued } from '../projects/key-formats.ts'
import { findRunnable } from '../scripts/store/runnable-scripts.ts'
import { denyBadHello } from './denials/denial-words.ts'
import { settleDenial, settleLimited } from './denials/denials.ts'
import { type Execution, execute } from './execution.ts'
import { findKeyUser } from './facts.ts'

export type Sender = { readonly address: string; readonly traits: ClientTraits }

/** A response that only the requesting client can decrypt. `isRaw` is true if the client accepts bytes. */
type SealedAnswer = {
  readonly reply: Buffer
  readonly payload: Buffer | undefined
  readonly isRaw: boolean
}

/** `failure` is the reason why the body could not be decrypted. */
export type Exchanged = SealedAnswer | { readonly failure: OpenFailure }

export async function exchange(deps: Deps, body: string, sender: Sender): Promise<Exchanged> {
  return deps.client.answers.shareAnswer(body, () => exchangeOnce(deps, body, sender))
}

async function exchangeOnce(deps: Deps, body: string, sender: Sender): Promise<Exchanged> {
  const keys = { server: deps.secrets.server, bootKeys: deps.client.bootKeys }
  const opened = await openHandshake(keys, body, deps.now())
  if (typeof opened === 'string') return (await answerAgain(deps, body, opened)) ?? { failure: opened }
  const outcome = await decide(deps, opened, sender)
  const { digest } = opened
  const isRaw = !(opened.hello instanceof BadHello) && opened.hello.caps.raw
  const reply = sealReplyBox(opened.keys, 'ok' in outcome ? outcome : outcome.grant)
  const source = 'ok' in outcome ? undefined : sourceOf(deps, outcome)
  deps.client.answers.keepAnswer(digest, { reply, isRaw, ...(source && { source }) }, deps.now())
  const payload = source && 'sent' in outcome ? sealBlock(deps, source, outcome.sent) : undefined
  return { reply, payload, isRaw }
}

/** Returns the boxes that any of the processes recently sent for the same body. */
async function answerAgain(
  deps: Deps,
  body: string,
  failure: OpenFailure,
): Promise<SealedAnswer | undefined> {
  const mayBeKept = failure === 'boot_reused' || failure === 'boot_expired'
  const name = mayBeKept ? nameBody(body) : undefined
  const kept = name && (await deps.client.answers.findAnswer(name, deps.now()))
  if (!kept) return undefined
  const { reply, isRaw, source } = kept
  if (!source) return { reply, isRaw, payload: undefined }
  const payload = await loadPayload(deps, { id: source.scriptId, version: source.version })
  const sent = source.isData ? payload?.split?.data : payload
  return sent && { reply, isRaw, payload: sealBlock(deps, source, sent) }
}

/** Returns the source of an inline payload, or undefined if the client fetches the payload in chunks. */
function sourceOf(deps: Deps, execution: Execution): CachedPayload | undefined {
  const { grant, projectId, holder, payloadKey: key } = execution
  const { id: scriptId, version } = grant.script
  const isData = grant.payload.kind === 'vm' && grant.payload.data === undefined
  const source = { exec: grant.exec, holder, key, projectId, scriptId, version, isData }
  if (grant.payload.chunks === 0) return source
  deps.client.chunkGrants.addGrant(grant.exec, source, deps.now())
  return undefined
}

/** Encryption is deterministic, so that a retry gets the same bytes. */
function sealBlock(deps: Deps, source: CachedPayload, sent: Sendable): Buffer {
  const { exec, holder, key, projectId } = source
  return sealPayload(key, exec, 0, blockOf(deps, sent, { projectId, holder, exec }))
}

async function decide(
  deps: Deps,
  { hello: sent, isBootFor, keys }: Opened,
  sender: Sender,
): Promise<Execution | Denial> {
  if (sent instanceof BadHello) return denyBadHello(sent)
  const script = await findRunnable(deps.db.read, sent.script)
  const key = sent.key && keyAsIssued(script?.key_format ?? null, sent.key)
  const hello = { ...sent, key }
  const user = script && (await findKeyUser(deps.db.read, script, key))
  const { fp } = hello
  const attempt = { project: script?.project_id, key, fp, isKnownKey: user !== null }
  const limited = await limitExecution(deps, attempt, sender.address)
  if (limited) return settleLimited(deps, { hello, script, user, ...sender }, limited)
  const outcome = await execute(deps, {
    hello,
    script,
    user,
    isBootFor,
    keysOf: (gn) => executionKeys(keys, gn),
    ...sender,
  })
  return 'verdict' in outcome ? settleDenial(deps, outcome, sender.address) : outcome
}
