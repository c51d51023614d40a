/** Finds out which user leaked a copy of a script. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { traceCopy } from '../../domain/scripts/traces.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const TracedVersion = Type.Object({
  version: Type.Integer(),
  slots: Type.Integer({ description: 'places in which copies of this version differ' }),
  slots_read: Type.Integer({ description: 'of those, what could be read in the text' }),
  executions: Type.Integer({ description: 'executions of this version that were compared' }),
})

const Accused = Type.Object({
  user_key: shape.nullable(Type.String({ description: 'null for a device without a key' })),
  version: Type.Integer(),
  execution: shape.nullable(
    Type.String({
      description: 'the execution that the text was taken from; null when it mixes too many runs to tell',
    }),
  ),
  executor: Type.String({ description: 'of the execution that agrees best with the text' }),
  granted_at: Type.Integer({ description: 'when that execution was granted' }),
  matches: Type.Integer({
    description: 'slots that were read and are as they were in the copy of that execution',
  }),
  deviations: Type.Number({ description: 'standard deviations above what chance gives; at least 6' }),
  chance: Type.Number({
    description: 'bound for the probability that any execution of the version agrees so well by chance',
  }),
})

const trace = endpoint({
  name: 'v1.scripts.trace',
  summary: 'Find out to whom a copy of a script was served.',
  description:
    'Paste what somebody published. Every execution gets a copy with small differences of its own; this compares the text with all of them and names the user, even when names, quotes and spaces were changed or several copies were mixed. Nobody is accused by chance: see `deviations` and `chance`.',
  example: { body: { text: 'local a,b="\\104\\101\\108",3 …' } },
  method: 'POST',
  path: '/v1/scripts/:script_id/trace',
  auth: 'script',
  scope: 'scripts:source',
  cost: 20,
  params: shape.ScriptParams,
  query: Nothing,
  body: shape.members({
    text: Type.String({
      minLength: 1,
      description: 'the copy or a part of it, with other names, quotes and spaces as it may be',
    }),
  }),
  response: Type.Object({
    success: shape.Yes,
    versions: Type.Array(TracedVersion),
    accused: Type.Array(Accused, { description: 'each user or device once for a version, the surest first' }),
  }),
  failures: {},
  bodyLimit: 'script',
  async handle({ subject, body }, deps) {
    const found = await traceCopy(deps, subject, body.text)
    return found instanceof Refused ? found : { versions: [...found.versions], accused: [...found.accused] }
  },
})

export const traces: readonly Endpoint[] = [trace]
