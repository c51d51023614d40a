/** Versions of a script; only `/v1` has them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { activateVersion, getVersion, listVersions, readSource, readTest } from '../versions.ts'

const Version = shape.named('ScriptVersion', {
  version: Type.Integer({ description: 'counted from 1' }),
  active: Type.Boolean({ description: 'whether executions are given this one' }),
  preset: Type.String(),
  options: shape.BuildOptions,
  created_at: Type.Integer(),
  source_bytes: Type.Integer(),
  protected_bytes: Type.Integer(),
  duration_ms: Type.Number({ description: 'how long the obfuscation took' }),
})
const Sent = Type.Object({
  messages: Type.Array(
    Type.Object({
      number: Type.Integer(),
      line: Type.Integer({ description: 'of WARD_WEBHOOK in the source' }),
      webhook_id: shape.nullable(Type.String({ description: 'the address; null when it was removed' })),
      host: shape.nullable(Type.String()),
      values: Type.Integer({ description: 'what its script puts into it' }),
      unchecked: Type.Integer({ description: 'values without WARD_CLEAN' }),
    }),
    {
      description: 'what this version sends to chat channels',
      examples: [
        [{ number: 1, line: 12, webhook_id: 'whk_0', host: 'discord.com', values: 2, unchecked: 0 }],
      ],
    },
  ),
  message_counts: Type.Array(
    Type.Object({
      outcome: Type.String({
        enum: ['sent', 'rate_limited', 'wrong_value', 'too_long', 'no_address'],
        description:
          'sent: handed to the address, whose deliveries say what came of it; the others were dropped',
      }),
      count: Type.Integer(),
      last_at: Type.Integer(),
    }),
    {
      description: 'what became of the messages of all versions of the script',
      examples: [[{ outcome: 'sent', count: 41, last_at: 1_767_323_045_678 }]],
    },
  ),
})
const Params = Type.Object({
  ...shape.ScriptParams.properties,
  n: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})
const pathOf = (rest: string) => `/v1/scripts/:script_id/versions${rest}`

const list = endpoint({
  name: 'v1.scriptVersions.list',
  summary: 'List the versions of a script in order of upload.',
  description:
    'All uploads of the script with their sizes, options and times. Exactly one is `active`. Use `order=newest` for a list that begins with the last upload.',
  method: 'GET',
  path: pathOf(''),
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  query: shape.OrderedPage,
  response: Type.Object({
    success: shape.Yes,
    versions: Type.Array(Version),
    total: shape.Count,
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listVersions(deps, subject.script, shape.given(query)),
})

const get = endpoint({
  name: 'v1.scriptVersions.get',
  summary: 'Read a version with the report of its obfuscation.',
  description:
    'The report says what the obfuscator did: sizes, warnings, what was slowed down and how copies of this version can be told apart. It is what the dashboard shows after an upload. `messages` is what the version sends by `WARD_WEBHOOK`, and `message_counts` how many were sent or dropped.',
  method: 'GET',
  path: pathOf('/:n'),
  auth: 'script',
  scope: 'scripts:read',
  params: Params,
  response: Type.Object({
    success: shape.Yes,
    version: Type.Object({
      ...Version.properties,
      report: Type.Object({}, { additionalProperties: true }),
      ...Sent.properties,
    }),
  }),
  async handle({ subject, params }, deps) {
    const version = await getVersion(deps, subject.script, params.n)
    return version instanceof Refused ? version : { version }
  },
})

const source = endpoint({
  name: 'v1.scriptVersions.source',
  summary: 'Read the source that was uploaded as this version.',
  description:
    'Gets back exactly the text that was uploaded, with the files beside it. It is stored encrypted and needs a scope of its own, because it is what the service protects.',
  method: 'GET',
  path: pathOf('/:n/source'),
  auth: 'script',
  scope: 'scripts:source',
  compresses: 'answer',
  params: Params,
  response: Type.Object({
    success: shape.Yes,
    source: Type.String({ examples: ["local shop = require('lib.shop')\nprint(shop.price)"] }),
    script_path: shape.nullable(
      Type.String({ description: 'where the source stands among its files; null when it is one file' }),
    ),
    files: shape.Files,
  }),
  async handle({ subject, params }, deps) {
    const found = await readSource(deps, subject.script, params.n)
    if (found instanceof Refused) return found
    const { source, files } = found
    return { source, script_path: files?.script_path ?? null, files: files?.files ?? null }
  },
})

const test = endpoint({
  name: 'v1.scriptVersions.test',
  summary: 'Read the test that this version was proved with.',
  description:
    'The Luau that ran the script before and after protection when this version was built; null when there was none. It is used again for the next upload unless you send another.',
  method: 'GET',
  path: pathOf('/:n/test'),
  auth: 'script',
  scope: 'scripts:source',
  params: Params,
  response: Type.Object({ success: shape.Yes, test_script: shape.nullable(Type.String()) }),
  handle: ({ subject, params }, deps) => readTest(deps, subject.script, params.n),
})

const activate = endpoint({
  name: 'v1.scriptVersions.activate',
  summary: 'Serve this version from now on, back or forward; it costs no obfuscation.',
  description:
    'The way back from a bad upload: executions get this version from the next one on, and nothing is built again. With `kick_outdated` instances of the other version are ended.',
  method: 'POST',
  path: pathOf('/:n/activate'),
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, params }, deps) {
    return (await activateVersion(deps, subject, params.n)) ?? {}
  },
})

export const versions: readonly Endpoint[] = [list, get, source, test, activate]
