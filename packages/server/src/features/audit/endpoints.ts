/** Endpoints for the audit logs of an account and of the server. `docs/audit.md` describes the entries. */
import { type Static, Type } from 'typebox'
import { streamCsv } from '../../api/csv.ts'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import { given, maybe, members, milliseconds, Next, named, nullable, Yes } from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import type { Deps } from '../../deps.ts'
import { type AuditEntry, listAudit, readAudit } from './list.ts'

const MAX_LISTED = 1000

const Text = Type.String({ minLength: 1, maxLength: 255, pattern: ONE_LINE })
const said = (description: string) => maybe(Type.String({ ...Text, description }))

const AuditFilter = members({
  actor: said("actor: user account's ID or email address, token ID, or api_key, command_line or job"),
  token: said('token ID'),
  action: said('action: the name of an endpoint or job, such as v1.projects.edit'),
  noun: said(
    'ID of the resource that the entry is about. For users, a license key; only its first 4 characters are compared',
  ),
  subject: maybe(
    Type.String({
      ...Text,
      description:
        "user's full license key, to return only entries about this user. Cannot be combined with noun",
      examples: ['Qk3nV8zTb1yHc5Lw'],
    }),
  ),
  from: maybe(milliseconds('start of the period, inclusive, in Unix milliseconds')),
  to: maybe(milliseconds('end of the period, inclusive, in Unix milliseconds')),
  cursor: maybe(Type.String({ maxLength: 100, description: 'cursor: the next value of the previous page' })),
  limit: maybe(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LISTED,
      description: 'number of entries per page. Default: 100',
    }),
  ),
  format: maybe(
    Type.String({
      enum: ['json', 'csv'],
      description: 'response format. csv returns all matching entries as text/csv',
    }),
  ),
})

const Entry = named('AuditEntry', {
  id: Type.String(),
  created_at: Type.Integer(),
  actor: Type.Object({
    kind: Type.String({
      enum: ['api_key', 'token', 'person', 'command_line', 'chat', 'job'],
      description: 'kind of actor',
    }),
    id: nullable(Type.String()),
    name: Type.String(),
  }),
  network: nullable(
    Type.String({
      description: 'network of the caller, with the precision set by SCRIPTWARD_AUDIT_ADDRESSES',
    }),
  ),
  request_id: Type.String(),
  action: Type.String({ description: 'name of the endpoint or job' }),
  nouns: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'IDs of the affected resources by name. License keys are truncated to 4 characters; `user` identifies the full key',
  }),
  changes: Type.Unsafe<Record<string, { before?: unknown; after: unknown }>>({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'changed fields with their values before and after; secrets are shown as `•••`',
  }),
  count: nullable(Type.Integer({ description: 'number of rows affected by a bulk change' })),
  n: nullable(
    Type.Integer({
      description: 'position in the hash chain. Null for about a second after the entry was written',
    }),
  ),
  hash: nullable(
    Type.String({
      description:
        'hash of this entry and all entries before it. Null for about a second after the entry was written',
    }),
  ),
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
  summary: 'List audit log entries',
  description:
    "Returns the account's changes, newest first, including who made each one and how. Filter by actor, token, action, time or the ID of a changed resource. `format=csv` returns a file with all matching entries. Secrets are masked, and license keys are truncated to their first four characters.",
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
  summary: "List the server's audit log entries",
  description:
    'Returns the actions of operators, jobs and the command line, newest first: accounts, user accounts, service tiers and keys. With `account`, returns the log of that account, even if the account has been removed.',
  example: { query: { limit: 20 } },
  method: 'GET',
  path: '/v1/admin/audit',
  auth: 'admin',
  scope: 'admin',
  offersCsv: true,
  query: members({ ...AuditFilter.properties, account: said('account ID') }),
  response: AuditEntries,
  handle({ query }, deps) {
    const { account, ...rest } = query
    return answer(deps, account ?? '', rest)
  },
})

export const audit: readonly Endpoint[] = [own, ofService]
