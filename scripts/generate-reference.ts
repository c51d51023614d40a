/** Writes what follows from the lists of endpoints and events: the pages in `docs/api`, and the library that checks keys. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { checkLibrary } from '../packages/client/src/bundle.ts'
import manifest from '../packages/server/package.json' with { type: 'json' }
import type { Auth, Endpoint } from '../packages/server/src/api/endpoint.ts'
import { refusals } from '../packages/server/src/api/refusals.ts'
import { endpoints } from '../packages/server/src/endpoints.ts'
import { failuresOf } from '../packages/server/src/reference/failures.ts'
import { describeApi } from '../packages/server/src/reference/openapi.ts'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { markdownTable } from './markdown-table.ts'
import { ROOT } from './run.ts'
import { scopesPage } from './scopes-page.ts'
import { webhooksPage } from './webhooks-page.ts'

function endpointsPage(): string {
  const intro =
    'Every endpoint, made by `npm run generate`. Shapes and examples are in [openapi.json](openapi.json), which a ' +
    'running service answers at `GET /openapi.json`; what may go wrong is in [failures.md](failures.md).'
  const byFamily = Map.groupBy(endpoints, familyOf)
  const tables = [...byFamily].map(
    ([family, list]) => `## ${family}\n\n${markdownTable(ENDPOINT_COLUMNS, list.map(endpointRow))}`,
  )
  return ['# Endpoints', intro, ...tables].join('\n\n').concat('\n')
}

const ENDPOINT_COLUMNS = ['Endpoint', 'What it does', 'Who may call', 'Scope', 'Body', 'Query']

function endpointRow(one: Endpoint): string[] {
  const text = one.consumes === 'text' ? 'text' : membersOf(one.body)
  const scope = one.scope === null ? '' : `\`${one.scope}\``
  return [`\`${one.method} ${one.path}\``, one.summary, CALLERS[one.auth], scope, text, membersOf(one.query)]
}

const CALLERS: Readonly<Record<Auth, string>> = {
  none: 'everybody',
  client: 'protected scripts',
  customerByPathKey: 'the key in the path',
  customer: 'any customer',
  account: 'any customer, also by `api_key` in query or body',
  admin: 'operators',
  project: 'owner of the project',
  script: 'owner of the script',
  user: 'owner of the user',
  session: 'owner of the session',
  plan: 'owner of the plan',
  adSystem: 'owner of the ad system',
  adCheckpoint: 'owner of the checkpoint',
  person: 'a person who is signed in',
  caller: 'any customer, and any person who is signed in',
}

/** Members of an object, those that must be given first; a question mark follows the others. */
function membersOf(schema: object): string {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] }
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `\`${name}\`` : `\`${name}\`?`))
    .join(', ')
}

function familyOf({ path: at }: Endpoint): string {
  if (at.startsWith('/v1/admin/')) return 'Operators'
  if (at.startsWith('/client/')) return 'Client protocol'
  if (at.startsWith('/v1/')) return 'Family `/v1`'
  return /^\/(healthz|readyz|openapi\.json)$/.test(at) ? 'The service itself' : 'Unversioned family'
}

function failuresPage(): string {
  const intro =
    'Every error, made by `npm run generate`. An answer that is no success is ' +
    '`{"success": false, "error": {"code", "type", "message", "request_id", …}}`. A `type` has one ' +
    'status and one message everywhere, except that `not_found` names what does not exist; a `code` is a number within its endpoint, and -1 for what any endpoint may answer.'
  const types = Object.entries(refusals).map(([type, { status, message }]) => [
    `\`${type}\``,
    String(status),
    message,
  ])
  const own = endpoints.filter(({ failures }) => Object.keys(failures).length > 0)
  return [
    '# Failures',
    intro,
    `## Types\n\n${markdownTable(['Type', 'Status', 'Message'], types)}`,
    `## By endpoint\n\n${markdownTable(['Endpoint', 'Code', 'Type', 'Status', 'Message'], own.flatMap(failureRows))}\n`,
  ].join('\n\n')
}

function failureRows(one: Endpoint): string[][] {
  return failuresOf(one)
    .filter(({ reason }) => reason in one.failures)
    .map(({ code, reason, status, message }) => [
      `\`${one.method} ${one.path}\``,
      String(code),
      `\`${reason}\``,
      String(status),
      message,
    ])
}

function writeFolder(target: string, files: Readonly<Record<string, string>>): void {
  const made = makeWorkFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(made, name), text)
  replaceFolder(path.join(ROOT, target), made)
}

writeFolder('docs/api', {
  'openapi.json': `${JSON.stringify(describeApi(endpoints, manifest.version), null, 2)}\n`,
  'endpoints.md': endpointsPage(),
  'failures.md': failuresPage(),
  'scopes.md': scopesPage(endpoints),
  'webhooks.md': webhooksPage(),
})
writeFolder('packages/client/generated', { 'check.lua': checkLibrary() })
