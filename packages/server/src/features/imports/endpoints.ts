/** Endpoints that import users from a list exported by another service, and preview such imports. */
import { Type } from 'typebox'
import { type Endpoint, inBothFamilies } from '../../api/endpoint.ts'
import { refuseMember } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import type { Deps } from '../../deps.ts'
import {
  ChangeId,
  DryRun,
  EXAMPLE_CHANGE_ID,
  Places,
  SampleEntry,
} from '../changes/endpoints/change-shapes.ts'
import { planOfImport } from '../keys/endpoints/user-shapes.ts'
import { type ImportMembers, readEntries } from './formats/entries.ts'
import { SOURCES, type Source } from './formats/reader.ts'
import { importUsers, previewImport, SKIP_TYPES, type SkipType } from './import-users.ts'

const SkippedReason = Type.String({
  description: 'human-readable reason, whose wording may change',
  examples: ['key: is already taken'],
})
const SkippedType = Type.Unsafe<SkipType>({
  type: 'string',
  enum: [...SKIP_TYPES],
  description:
    'machine-readable reason: key_taken (the key already exists), chat_id_taken (the chat account is linked to another user) or invalid (any other reason)',
  examples: ['key_taken'],
})

const Imported = Type.Object({
  success: shape.Yes,
  imported: shape.Count,
  skipped: shape.Count,
  skipped_entries: Type.Array(Type.Object({ index: shape.Count, type: SkippedType, reason: SkippedReason })),
})
const ImportedUsers = Type.Optional(
  shape.nullable(
    Type.Array(Type.Unknown(), {
      description:
        'users to import, as an array of objects with these fields, all optional: chat_id or chat; fingerprint, identifier or hwid; auth_expire or key_expires (seconds or milliseconds); note; executor; blacklisted; blacklist_reason; blacklist_expires; tags; metadata; private_note; issued_to; issued_by; issued_at; key',
    }),
  ),
)

/** Maximum number of JSON fields: enough for 100,000 entries with thirty fields each, plus some margin. */
const MAX_MEMBERS = 4_000_000

/** Reads a body that is small enough to be parsed in this process. */
function entriesOf(members: ImportMembers, { now, config }: Deps) {
  return readEntries(members, { now: now(), limit: config.importLimit })
}

const EXAMPLE = {
  body: {
    users: [
      {
        key: 'kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e',
        note: 'moved from the old shop',
        key_expires: 1_798_761_600_000,
      },
      { key: 'rB5tK8nW2vX7mQ4zLc9yS1dGhJ3pF6aE', hwid: 'a4f1-77d0-c3' },
    ],
  },
  answer: {
    success: true,
    imported: 1,
    skipped: 1,
    skipped_entries: [{ index: 1, type: 'key_taken', reason: 'key: is already taken' }],
  },
}

const importMany = inBothFamilies(
  {
    name: 'projectUsers.import',
    summary: 'Import users',
    description:
      'Imports users exported from another service. Common field names are accepted, and times may be in seconds or milliseconds. Valid entries are imported even if others fail; each skipped entry is listed with its index and the reason. Existing keys are skipped, so you can safely send the same list again. Entries with `metadata`, or with fields that become `features`, are skipped unless the caller has `users:write`.',
    example: EXAMPLE,
    method: 'POST',
    path: '/projects/:project_id/users/import',
    auth: 'project',
    scope: 'users:bulk',
    cost: 20,
    params: shape.ProjectParams,
    body: shape.members({ users: ImportedUsers }),
    bodyLimit: 'import',
    judges: 'users',
    mostMembers: MAX_MEMBERS,
    response: Imported,
    failures: { too_many_users_to_import: 0, account_expired: 1, no_users_given: 2 },
    async handle({ subject, caller, body, entries: read }, deps) {
      const entries = read ?? entriesOf(body, deps)
      return 'fix' in entries
        ? refuseMember(entries.field, entries.fix)
        : importUsers(deps, subject, { entries }, caller)
    },
  },
  {
    v1: {
      example: { ...EXAMPLE, answer: { ...EXAMPLE.answer, change_id: EXAMPLE_CHANGE_ID } },
      summary: 'Import users or preview an import',
      body: shape.members({
        users: ImportedUsers,
        csv: shape.maybe(
          Type.String({
            description:
              'spreadsheet in CSV format with a header row, separated by commas, semicolons or tabs, or a list with one key per line. Send it instead of users',
            examples: ['user_key;auth_expire;note\\nold-key-of-grace;1893456000;order 1001'],
          }),
        ),
        from: Type.Optional(
          Type.Unsafe<Source>({
            type: 'string',
            enum: [...SOURCES],
            description:
              'service that the records come from, or auto to detect it from the field names. Unknown fields are then ignored and listed in the response. If omitted, records must be in the Scriptward export format',
            examples: ['auto'],
          }),
        ),
        ...planOfImport,
        dry_run: DryRun,
      }),
      response: Type.Object({
        ...Imported.properties,
        imported: Type.Integer({
          minimum: 0,
          description: 'number of entries that were imported or, in a dry run, would be',
          examples: [99_000],
        }),
        skipped_entries: Type.Array(
          Type.Object({
            index: Type.Integer({ minimum: 0, description: 'position in the list, starting at 0' }),
            type: SkippedType,
            reason: SkippedReason,
          }),
          { description: 'skipped entries, up to the first 1,000' },
        ),
        change_id: ChangeId,
        ...Places,
        samples: Type.Optional(
          Type.Array(SampleEntry, { description: 'in a dry run: the first 10 entries' }),
        ),
        from: Type.Optional(
          Type.String({
            description: 'service detected from the records',
            examples: ['luarmor'],
          }),
        ),
        mapped: Type.Optional(
          Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string' },
            description: "the service's fields, mapped to the fields they were imported as",
            examples: [{ user_key: 'key', auth_expire: 'key_expires' }],
          }),
        ),
        unknown_members: Type.Optional(
          Type.Array(Type.String(), {
            description: 'fields that were ignored, up to the first 100',
            examples: [['script_name']],
          }),
        ),
      }),
      async handle({ subject, caller, body, entries: read }, deps) {
        const { users, csv, from, plan_id, dry_run } = shape.given(body)
        if (users && csv) return refuseMember('csv', 'cannot be combined with users')
        const entries = read ?? entriesOf({ users, csv, from }, deps)
        if ('fix' in entries) return refuseMember(entries.field, entries.fix)
        const run = dry_run === true ? previewImport : importUsers
        return run(deps, subject, { entries, plan_id }, caller)
      },
    },
  },
)

export const userImports: readonly Endpoint[] = importMany
