/** Endpoints for the versions of a script, available only under `/v1`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { compareVersions } from '../compare-versions.ts'
import {
  activateVersion,
  editVersion,
  getVersion,
  listVersions,
  readSource,
  readTest,
  yankVersion,
} from '../versions.ts'

const Version = shape.named('ScriptVersion', {
  version: Type.Integer({ description: 'version number, starting at 1' }),
  active: Type.Boolean({ description: 'whether this version is live' }),
  preset: Type.String(),
  options: shape.BuildOptions,
  created_at: Type.Integer(),
  source_bytes: Type.Integer(),
  protected_bytes: Type.Integer(),
  duration_ms: Type.Number({ description: 'time the obfuscation took, in milliseconds' }),
  author: shape.nullable(
    Type.String({
      description: 'who uploaded the version: an email address, a token name, or the start of an API key',
      examples: ['ada@example.com'],
    }),
  ),
  notes: shape.nullable(Type.String({ description: 'release notes', examples: ['Faster start on mobile'] })),
  notes_public: Type.Boolean({ description: 'whether customers see the notes on their page' }),
  yanked_at: shape.nullable(
    Type.Integer({
      description: 'time the version was yanked. Null if it can be activated',
      examples: [null],
    }),
  ),
})
const Sent = Type.Object({
  messages: Type.Array(
    Type.Object({
      number: Type.Integer(),
      line: Type.Integer({ description: 'source line of the WARD_WEBHOOK call' }),
      webhook_id: shape.nullable(
        Type.String({ description: 'ID of the webhook endpoint. Null if it was removed' }),
      ),
      host: shape.nullable(Type.String()),
      values: Type.Integer({ description: 'number of values filled in by the script' }),
      unchecked: Type.Integer({ description: 'number of those values without WARD_CLEAN' }),
    }),
    {
      description: 'messages that this version can send to chat channels',
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
          'what happened to the messages. With `sent`, they were queued for the webhook endpoint, whose deliveries show the result. With any other outcome, they were dropped',
      }),
      count: Type.Integer({ description: 'number of messages' }),
      last_at: Type.Integer({ description: 'time of the last such message' }),
    }),
    {
      description: 'number of messages by outcome, across all versions of the script',
      examples: [[{ outcome: 'sent', count: 41, last_at: 1_767_323_045_678 }]],
    },
  ),
})
const ServerCode = Type.Array(
  Type.Object({
    number: Type.Integer(),
    name: Type.String({ description: 'variable or field that the code is assigned to in the source' }),
    kind: Type.String({ enum: ['function', 'table'], description: 'kind of code' }),
    place: Type.String({ description: 'location in the source' }),
    source_bytes: Type.Integer({
      description: 'size of the code in bytes, including any dependencies that were moved with it',
    }),
    calls: Type.Integer({ description: 'number of calls by running scripts, updated every few seconds' }),
    failures: Type.Integer({ description: 'number of calls that raised an error or were stopped' }),
    cpu_ms: Type.Number({ description: 'total CPU time of all calls, in milliseconds' }),
    last_problem: shape.nullable(
      Type.String({ description: 'error message of the last failure, with its line in the source' }),
    ),
    last_failed_at: shape.nullable(Type.Integer({ description: 'time of the last failure' })),
  }),
  {
    description: 'functions and tables that the build moved to the server with `WARD_SERVER`',
    examples: [
      [
        {
          ...{ number: 1, name: 'price', kind: 'function', place: 'line 7', source_bytes: 214 },
          ...{ calls: 1204, failures: 3, cpu_ms: 310.5 },
          ...{ last_problem: 'line 9: attempt to index nil', last_failed_at: 1_767_323_045_678 },
        },
      ],
    ],
  },
)
const Report = Type.Object(
  {
    suggestions: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'name of the function, for use in the `server` option' }),
          place: Type.String({ description: 'location in the source' }),
          lines: Type.Integer({ description: 'number of lines that would leave the script' }),
          constants: Type.Integer({
            description: 'number of strings and numbers that would leave the script',
          }),
          callSites: Type.Integer({ description: 'number of calls in the script' }),
          testCalls: shape.nullable(
            Type.Integer({ description: 'number of calls in the smoke test. Null without a smoke test' }),
          ),
          obstacle: shape.nullable(
            Type.String({
              description: 'why the function should stay in the script. Null if there is no known reason',
            }),
          ),
        }),
        {
          description: 'functions that could run on the server. Missing from reports of older builds',
          examples: [
            [
              {
                ...{ name: 'price', place: 'line 7', lines: 3, constants: 5, callSites: 1 },
                ...{ testCalls: 2, obstacle: null },
              },
            ],
          ],
        },
      ),
    ),
    missing_functions: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'function that the script uses without checking that it exists' }),
          file: shape.nullable(
            Type.String({ description: 'path of the source file. Null if the script has a single file' }),
          ),
          line: Type.Integer({ description: 'line of the first use' }),
          uses: Type.Integer({ description: 'number of uses' }),
          customers: Type.Number({
            minimum: 0,
            maximum: 1,
            description:
              'share of customers whose executor lacks the function, among customers of the last version that ran',
          }),
          executors: Type.Array(Type.String(), { description: 'these executors, most customers first' }),
        }),
        {
          description:
            "functions that executors of the script's customers lacked at the time of the upload, also listed as sentences in `warnings`. Missing from reports of older builds",
          examples: [
            [
              {
                ...{ name: 'writefile', file: null, line: 12, uses: 2 },
                ...{ customers: 0.12, executors: ['Garden'] },
              },
            ],
          ],
        },
      ),
    ),
  },
  { additionalProperties: true },
)
const Params = Type.Object({
  ...shape.ScriptParams.properties,
  n: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})
const pathOf = (rest: string) => `/v1/scripts/:script_id/versions${rest}`

const list = endpoint({
  name: 'v1.scriptVersions.list',
  summary: "List a script's versions",
  description:
    'Returns all versions with their sizes, options and upload times, oldest first. Exactly one of them is `active`. Use `order=newest` to start with the latest upload.',
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
  summary: 'Retrieve a version',
  description:
    'Returns a version with its build report: sizes, warnings, how copies of it are watermarked, and functions that could run on the server. `server_code` lists the code that the build moved to the server, with call counts. `messages` lists the messages that the version sends with `WARD_WEBHOOK`, and `message_counts` shows how many were sent or dropped.',
  method: 'GET',
  path: pathOf('/:n'),
  auth: 'script',
  scope: 'scripts:read',
  params: Params,
  response: Type.Object({
    success: shape.Yes,
    version: Type.Object({
      ...Version.properties,
      report: Report,
      server_code: ServerCode,
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
  summary: "Retrieve a version's source",
  description:
    'Returns the source exactly as it was uploaded, including its other files. Sources are stored encrypted and require a separate scope.',
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
      Type.String({
        description:
          'path of the main file, whose content is in `source`. Null if the script has a single file',
      }),
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
  summary: "Retrieve a version's smoke test",
  description:
    'Returns the Luau smoke test that compared the script before and after protection when this version was built. `test_script` is null if there was none. The next upload runs the same test unless you send a different one.',
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
  summary: 'Activate a version',
  description:
    "Makes another version live from the next run, for example to roll back a bad upload. Nothing is rebuilt, and no obfuscation is used. A yanked version can't be activated. With `kick_outdated`, runs of other versions are ended.",
  method: 'POST',
  path: pathOf('/:n/activate'),
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  response: shape.Done,
  failures: { account_expired: 0, version_yanked: 1 },
  async handle({ subject, params }, deps) {
    return (await activateVersion(deps, subject, params.n)) ?? {}
  },
})

const edit = endpoint({
  name: 'v1.scriptVersions.edit',
  summary: "Edit a version's notes",
  description:
    "Changes a version's release notes. Public notes are shown to customers on their page, once the version or a later one is active.",
  example: { body: { notes: 'Faster start on mobile', notes_public: true } },
  method: 'POST',
  path: pathOf('/:n/edit'),
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  body: shape.members({
    notes: shape.maybe(
      Type.String({
        ...shape.VersionNotes,
        description: `${shape.NOTES}. An empty string removes them`,
      }),
    ),
    notes_public: shape.maybe(Type.Boolean({ description: 'whether customers see the notes on their page' })),
  }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, params, body }, deps) {
    return (await editVersion(deps, subject, params.n, shape.given(body))) ?? {}
  },
})

const yank = endpoint({
  name: 'v1.scriptVersions.yank',
  summary: 'Yank a version',
  description:
    "Withdraws a version, so that nobody can activate it by mistake. A version that customers get, because it is active, belongs to a channel or is being released, can't be yanked. Current runs of the version continue, and keys that kept it through a plan with `keep_version` still run it. A yanked version can be yanked again, which changes nothing.",
  method: 'POST',
  path: pathOf('/:n/yank'),
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  response: shape.Done,
  failures: { account_expired: 0, version_active: 1, version_in_channel: 2, version_released: 3 },
  async handle({ subject, params }, deps) {
    return (await yankVersion(deps, subject, { version: params.n, isYanked: true })) ?? {}
  },
})

const unyank = endpoint({
  name: 'v1.scriptVersions.unyank',
  summary: 'Undo a yank',
  description:
    'Makes a yanked version available again, so that it can be activated and released. The live version stays the same.',
  method: 'POST',
  path: pathOf('/:n/unyank'),
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, params }, deps) {
    const done = await yankVersion(deps, subject, { version: params.n, isYanked: false })
    return done ?? {}
  },
})

const OptionValue = Type.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
})

const compare = endpoint({
  name: 'v1.scriptVersions.compare',
  summary: 'Compare two versions',
  description:
    'Returns the differences between two versions: changed files, line by line, and build options. The sizes of both versions are in `from` and `to`. The diffs have at most 200 KB in total; `truncated` is true if any line was left out.',
  method: 'GET',
  path: pathOf('/:n/compare'),
  auth: 'script',
  scope: 'scripts:source',
  cost: 10,
  compresses: 'answer',
  example: { query: { with: 2 } },
  params: Params,
  query: Type.Object(
    {
      with: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: 'version to compare with. Default: the previous version',
          examples: [2],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    success: shape.Yes,
    from: Version,
    to: Version,
    options: Type.Array(
      Type.Object({
        id: Type.String({ description: 'ID of the option' }),
        from: OptionValue,
        to: OptionValue,
      }),
      {
        description: 'build options that differ. Null where the option was not set',
        examples: [[{ id: 'preset', from: 'balanced', to: 'strong' }]],
      },
    ),
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        change: Type.String({ enum: ['changed', 'added', 'removed'], description: 'kind of change' }),
        added_lines: Type.Integer({ description: 'number of lines that were added' }),
        removed_lines: Type.Integer({ description: 'number of lines that were removed' }),
        diff: shape.nullable(
          Type.String({
            description:
              'hunks of a unified diff. Null if more than 2,000 lines differ; the counts then include all lines of the file',
          }),
        ),
      }),
      {
        description: 'files that differ: first changed, then added, then removed files',
        examples: [
          [
            {
              ...{ path: 'main.lua', change: 'changed', added_lines: 1, removed_lines: 1 },
              diff: '@@ -1,2 +1,2 @@\n local price = 3\n-print(price)\n+print(price * 2)',
            },
          ],
        ],
      },
    ),
    truncated: Type.Boolean({ description: 'whether lines or entire diffs were left out' }),
  }),
  handle: ({ subject, params, query, origin }, deps) =>
    compareVersions(deps, subject, {
      version: params.n,
      base: query.with ?? null,
      closed: origin.closed?.(),
    }),
})

export const versions: readonly Endpoint[] = [
  ...[list, get, source, test, compare],
  ...[activate, edit, yank, unyank],
]
