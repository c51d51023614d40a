/**
 * Heartbeats and the regular end of an instance (client protocol §11), as POST or, for hosts limited to GET,
 * as a query. Clients trust only encrypted responses, so unencrypted ones contain only what client developers
 * need.
 */
import { Type } from 'typebox'
import { endpoint, type Text } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { type Answered, answerBeat, answerEnd } from '../../sessions/heartbeats.ts'
import { refuseBody, sealed } from './sealed.ts'

/** A heartbeat may contain script messages and values for server functions. */
const MAX_BEAT_LENGTH = 65_536
/** An end message may contain error reports. */
const MAX_END_LENGTH = 32_768
const MAX_QUERY_LENGTH = 4096
const FORM = 'lp1.<exec>.<n>.<box>'
const failures = { stale_beat: -1 }

const Sealed = Type.String({ description: 'lp1.<reply>, encrypted for the instance that sent the heartbeat' })
const Query = Type.Object(
  { b: Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH, description: FORM }) },
  { additionalProperties: false },
)

/** An example of an encrypted heartbeat. */
const BEAT = 'lp1.q2V0c2VhbGVkYnl0ZXNvZg.7.c2VhbGVkYmVhdA'
const ANSWER = 'lp1.c2VhbGVkYW5zd2Vy'

type Act = (
  deps: Deps,
  body: string,
) => Promise<Answered | Refused<'stale_beat' | 'rate_limited' | 'not_found'>>

type Words = { readonly summary: string; readonly description: string; readonly longest: number }

const ways = (name: string, { summary, description, longest }: Words, act: Act) => {
  const path = `/client/v1/${name}`
  const answered = async (deps: Deps, body: string) => tell(await act(deps, body))
  const both = {
    path,
    auth: 'client',
    scope: null,
    addressLimit: 'beatAddress',
    produces: 'text',
    response: Sealed,
    failures,
  } as const
  return [
    endpoint({
      ...both,
      name: `client.${name}`,
      summary,
      description,
      example: { body: BEAT, answer: ANSWER },
      method: 'POST',
      body: Type.String({ minLength: 1, maxLength: longest, description: FORM }),
      bodyLimit: longest,
      consumes: 'text',
      handle: ({ body }, deps) => answered(deps, body),
    }),
    endpoint({
      ...both,
      name: `client.${name}ByQuery`,
      summary: 'Send a heartbeat with GET',
      description: `${description} Use this with hosts that only support GET: send the body of the POST request in the query string.`,
      example: { query: { b: BEAT }, answer: ANSWER },
      method: 'GET',
      query: Query,
      handle: ({ query }, deps) => answered(deps, query.b),
    }),
  ]
}

export const beat = [
  ...ways(
    'beat',
    {
      summary: 'Send a heartbeat',
      description:
        "A running script counts as an instance of its user while it sends heartbeats. Heartbeats are numbered consecutively; the last one may be repeated if its response was lost. The encrypted response contains any changes that the script's owner made in the meantime, or instructs the script to stop.",
      longest: MAX_BEAT_LENGTH,
    },
    answerBeat,
  ),
  ...ways(
    'end',
    {
      summary: 'End an instance',
      description:
        'Reports that a script has ended, which frees its instance slot immediately. Otherwise, the slot is freed when the instance times out.',
      longest: MAX_END_LENGTH,
    },
    answerEnd,
  ),
]

function tell(
  outcome: Awaited<ReturnType<Act>>,
): Text | Refused<'stale_beat' | 'rate_limited' | 'not_found' | 'invalid_request'> {
  if (outcome instanceof Refused) return outcome
  return 'failure' in outcome ? refuseBody(outcome.failure) : sealed(outcome.sealed)
}
