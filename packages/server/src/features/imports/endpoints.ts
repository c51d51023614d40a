/** Users from the list of another service: their import, and what it would come to. */
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
import { importUsers, previewImport } from './import-users.ts'

const Imported = Type.Object({
  success: shape.Yes,
  imported: shape.Count,
  skipped: shape.Count,
  skipped_entries: Type.Array(Type.Object({ index: shape.Count, reason: Type.String() })),
})
const ImportedUsers = Type.Optional(
  shape.nullable(
    Type.Array(Type.Unknown(), {
      description:
        'objects with chat_id or chat; fingerprint, identifier or hwid; auth_expire or key_expires (seconds or milliseconds); note; executor; blacklisted; blacklist_reason; blacklist_expires; tags; metadata; private_note; issued_to; issued_by; issued_at; key',
    }),
  ),
)

/** 100,000 entries with thirty members each, and some more. */
const MAX_MEMBERS = 4_000_000

/** Of a body that is small enough to be read here. */
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
    skipped_entries: [{ index: 1, reason: 'key: is taken' }],
  },
}

const importMany = inBothFamilies(
  {
    name: 'projectUsers.import',
    summary:
      'Create users from the list of another service; entries that cannot be users are skipped and named.',
    description:
      'Takes what other services export: several names of members are understood, times in seconds or milliseconds. Good entries are imported although others are not; each that was skipped is named by its index with the reason. Keys that exist already are skipped, so the same list can be sent again. Entries with `metadata`, or with anything that becomes `features`, are skipped for callers without `users:write`.',
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
      summary:
        'Create users from the list of another service; entries that cannot be users are skipped and named. Or, as a dry run, tell what that would do.',
      body: shape.members({
        users: ImportedUsers,
        csv: shape.maybe(
          Type.String({
            description:
              'instead of users: a spreadsheet with a row of names, separated by commas, semicolons or tabs; or one key a line',
            examples: ['user_key;auth_expire;note\\nold-key-of-grace;1893456000;order 1001'],
          }),
        ),
        from: Type.Optional(
          Type.Unsafe<Source>({
            type: 'string',
            enum: [...SOURCES],
            description:
              'the service that the records come from; auto tells it by their members. Members that are not known are left out then and listed in the answer. Without it records are as this service exports them',
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
          description: 'entries that became users, or would in a dry run',
          examples: [99_000],
        }),
        skipped_entries: Type.Array(
          Type.Object({
            index: Type.Integer({ minimum: 0, description: 'place in the list; 0 is the first' }),
            reason: Type.String({ examples: ['key: is taken'] }),
          }),
          { description: 'the first 1000 of those that were skipped' },
        ),
        change_id: ChangeId,
        ...Places,
        samples: Type.Optional(Type.Array(SampleEntry, { description: 'of a dry run: the first 10' })),
        from: Type.Optional(
          Type.String({
            description: 'the service that the records are taken to come from',
            examples: ['luarmor'],
          }),
        ),
        mapped: Type.Optional(
          Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'members of that service, and what they became',
            examples: [{ user_key: 'key', auth_expire: 'key_expires' }],
          }),
        ),
        unknown_members: Type.Optional(
          Type.Array(Type.String(), {
            description: 'members that were left out, the first 100 of them',
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
