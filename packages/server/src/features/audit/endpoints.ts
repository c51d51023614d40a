/** The audit log of an account, and that of the service as a whole. What is in it: `docs/audit.md`. */
import { type Static, Type } from 'typebox'
import { streamCsv } from '../../api/csv.ts'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import { given, Milliseconds, maybe, members, Next, named, nullable, Yes } from '../../api/shapes.ts'
import type { Deps } from '../../deps.ts'
import { type AuditEntry, listAudit, readAudit } from './list.ts'

const MAX_LISTED = 1000

const Text = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
const said = (description: string) => maybe(Type.String({ ...Text, description }))

const AuditFilter = members({
  actor: said('id or e-mail address of a person, id of a token, or api_key, command_line or job'),
  token: said('id of a token'),
  action: said('name of an endpoint or of a job, such as v1.projects.edit'),
  noun: said('id that an entry names; of a user the key, of which the first 4 characters count'),
  subject: maybe(
    Type.String({
      ...Text,
      description: 'the whole key of a user: entries about exactly this one; not together with noun',
      examples: ['Qk3nV8zTb1yHc5Lw'],
    }),
  ),
  from: maybe(Milliseconds),
  to: maybe(Milliseconds),
  cursor: maybe(Type.String({ maxLength: 100, description: 'the next of an earlier answer' })),
  limit: maybe(Type.Integer({ minimum: 1, maximum: MAX_LISTED, description: '100 unless given' })),
  format: maybe(
    Type.String({ enum: ['json', 'csv'], description: 'csv answers all entries that match, as text/csv' }),
  ),
})

const Entry = named('AuditEntry', {
  id: Type.String(),
  created_at: Type.Integer(),
  actor: Type.Object({
    kind: Type.String({ enum: ['api_key', 'token', 'person', 'command_line', 'job'] }),
    id: nullable(Type.String()),
    name: Type.String(),
  }),
  network: nullable(Type.String({ description: 'as SCRIPTWARD_AUDIT_ADDRESSES keeps the address' })),
  request_id: Type.String(),
  action: Type.String({ description: 'name of the endpoint or of the job' }),
  nouns: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'ids by their names; keys are cut to 4 characters, and `user` stands for the whole key',
  }),
  changes: Type.Unsafe<Record<string, { before?: unknown; after: unknown }>>({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'members before and after; `•••` stands for a secret',
  }),
  count: nullable(Type.Integer({ description: 'how many rows a change of many touched' })),
  n: nullable(Type.Integer({ description: 'place in the hash chain; null for about a second' })),
  hash: nullable(Type.String({ description: 'of this entry and all before it; null for about a second' })),
})
const AuditEntries = Type.Object({ success: Yes, entries: Type.Array(Entry), next: Next })

type Filter = Static<typeof AuditFilter>

async function answer(deps: Deps, customerId: string, query: Filter) {
  const { format, ...asked } = given(query)
  if (format !== 'csv') return listAudit(deps, customerId, asked)
  const pages = await readAudit(deps, customerId, asked)
  if (pages instanceof Refused) return pages
  return streamCsv('audit.csv', pages, { columns: COLUMNS, rowOf })
}

const COLUMNS = [
  ...['created_at', 'actor_kind', 'actor_id', 'actor_name', 'network', 'action', 'nouns', 'changes', 'count'],
  ...['id', 'request_id', 'n', 'hash'],
]

function rowOf({ actor, created_at, nouns, changes, ...entry }: AuditEntry) {
  return {
    ...entry,
    created_at: new Date(created_at).toISOString(),
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    nouns: JSON.stringify(nouns),
    changes: JSON.stringify(changes),
  }
}

const own = endpoint({
  name: 'v1.audit.list',
  summary: 'List changes of the account with who made them and how, newest first.',
  description:
    'Answers who changed what and when. Filter by person, token, action, time or the id of what was changed; `format=csv` answers a file with everything that matches. Secrets are shown as dots, user keys by their first four characters.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/audit',
  auth: 'customer',
  scope: 'audit:read',
  offersCsv: true,
  query: AuditFilter,
  response: AuditEntries,
  handle: ({ subject, query }, deps) => answer(deps, subject.id, query),
})

const ofService = endpoint({
  name: 'admin.audit.list',
  summary:
    'List what operators and jobs changed in the service, newest first; with account, what was changed in that account, also after it was removed.',
  description:
    'What operators, jobs and the command line did to the service: accounts, people, tiers and keys. With `account` it shows the log of one account, also of one that was removed.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/admin/audit',
  auth: 'admin',
  scope: 'admin',
  offersCsv: true,
  query: members({ ...AuditFilter.properties, account: said('id of an account') }),
  response: AuditEntries,
  handle({ query }, deps) {
    const { account, ...rest } = query
    return answer(deps, account ?? '', rest)
  },
})

export const audit: readonly Endpoint[] = [own, ofService]
