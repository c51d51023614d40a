/**
 * The handshake of an execution (client protocol §8), as POST or, for hosts limited to GET, as a query.
 * Clients trust only encrypted responses, so unencrypted ones contain only what client developers need.
 */
import { PROTOCOL } from '@scriptward/client/messages'
import { formatRawReply } from '@scriptward/client/raw-reply'
import { formatReply, toB64u } from '@scriptward/client/wire'
import { Type } from 'typebox'
import { endpoint, type Origin, type Text } from '../../../api/endpoint.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { payloadChunk } from '../../sessions/payload-chunks.ts'
import { type Exchanged, exchange } from '../exchange.ts'
import { readTraits } from './client-traits.ts'
import { refuseBody, sealed, sealedBytes } from './sealed.ts'

/** Maximum body size in bytes: a 64 KB hello after encryption and framing. */
const MAX_BODY_LENGTH = 90_000
const MAX_QUERY_LENGTH = 4096
/** Clients distinguish these errors by `type`. In the unversioned API, they have no code. */
const failures = { boot_expired: -1, boot_reused: -1, boot_invalid: -1, kid_unknown: -1 }

const Sealed = Type.String({
  description:
    'lp1.<reply>[.<payload>], encrypted for the loader that sent the request. Binary for clients that accept application/octet-stream',
})

export const exec = [
  endpoint({
    name: 'client.exec',
    summary: 'Request an execution',
    description:
      'The loader encrypts the key, device and host details, and sends them to the server. The response is the script or a denial, encrypted and authenticated for this loader only. Unencrypted error responses are only meant for client developers. Rate limits apply per IP address.',
    example: {
      body: 'lp1.8c1f03ab.q2V0c2VhbGVk.Ynl0ZXNvZg.dGhpc2hlbGxv',
      answer: 'lp1.q2V0c2VhbGVkcmVwbHk.cGF5bG9hZA',
    },
    method: 'POST',
    path: '/client/v1/exec',
    auth: 'client',
    scope: null,
    body: Type.String({
      minLength: 1,
      maxLength: MAX_BODY_LENGTH,
      description: 'lp1.<kid>.<boot>.<ep>.<hello>',
    }),
    bodyLimit: MAX_BODY_LENGTH,
    addressLimit: 'execFlood',
    consumes: 'text',
    produces: 'text',
    response: Sealed,
    failures,
    handle: ({ body, origin }, deps) => answer(deps, body, origin),
  }),
  endpoint({
    name: 'client.execByQuery',
    summary: 'Request an execution with GET',
    description:
      'Use this with hosts that do not support POST: send the same body in the query string, up to 4 KB. Everything else works as with POST.',
    example: {
      query: { b: 'lp1.8c1f03ab.q2V0c2VhbGVk.Ynl0ZXNvZg.dGhpc2hlbGxv' },
      answer: 'lp1.q2V0c2VhbGVkcmVwbHk.cGF5bG9hZA',
    },
    method: 'GET',
    path: '/client/v1/exec',
    auth: 'client',
    scope: null,
    query: Type.Object(
      {
        b: Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH, description: 'body of POST /exec' }),
      },
      { additionalProperties: false },
    ),
    addressLimit: 'execFlood',
    produces: 'text',
    response: Sealed,
    failures,
    handle: ({ query, origin }, deps) => answer(deps, query.b, origin),
  }),
  endpoint({
    name: 'client.chunk',
    summary: 'Download a script part',
    description:
      'Scripts that are too large for a single response are fetched in parts, which only the loader that was granted the execution can decrypt. Parts are available for a short time after the grant.',
    example: { answer: 'lp1.q2V0c2VhbGVkcGFydA' },
    method: 'GET',
    path: '/client/v1/chunk/:exec/:n',
    auth: 'client',
    scope: null,
    params: Type.Object({
      exec: Type.String({ minLength: 22, maxLength: 22 }),
      n: Type.Integer({ minimum: 1, maximum: 10_000 }),
    }),
    produces: 'text',
    response: Type.String({
      description: 'lp1.<part>, encrypted for the loader that was granted the execution',
    }),
    async handle({ params, origin }, deps) {
      const chunk = await payloadChunk(deps, params.exec, params.n)
      if (chunk instanceof Refused) return chunk
      return acceptsBytes(origin) ? sealedBytes(chunk) : sealed(`${PROTOCOL}.${toB64u(chunk)}`)
    },
  }),
]

type Reason = keyof typeof failures | 'invalid_request' | 'unavailable'

async function answer(deps: Deps, body: string, origin: Origin): Promise<Text | Refused<Reason>> {
  const { address, headers } = origin
  const outcome = await exchange(deps, body, { address, traits: readTraits(headers) })
  if ('failure' in outcome) return refuseUnopened(outcome.failure)
  const { reply, payload, isRaw } = outcome
  return isRaw && acceptsBytes(origin)
    ? sealedBytes(formatRawReply(reply, payload))
    : sealed(formatReply(reply, payload))
}

/** A client that accepts any content type may still be unable to process arbitrary bytes. */
function acceptsBytes({ headers }: Origin): boolean {
  return /^application\/octet-stream *(,|;|$)/i.test(String(headers.accept))
}

type Failure = Extract<Exchanged, { failure: unknown }>['failure']

function refuseUnopened(failure: Failure): Text | Refused<Reason> {
  switch (failure) {
    case 'boot_expired':
    case 'boot_reused':
    case 'boot_invalid':
    case 'kid_unknown':
      return refuse(failure)
    case 'overloaded':
      return refuse('unavailable', { retry_after: 60 })
    default:
      return refuseBody(failure)
  }
}
