/** Users from the list of another service: their import, and what it would come to. */
import { Type } from 'typebox'
import { importUsers, previewImport } from '../../domain/users/transfer.ts'
import { type Endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

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
        'objects with chat_id or chat; fingerprint, identifier or hwid; auth_expire or key_expires (seconds or milliseconds); note; executor; blacklisted; blacklist_reason; blacklist_expires; key',
    }),
  ),
)

const importMany = inBothFamilies(
  {
    name: 'projectUsers.import',
    summary:
      'Create users from the list of another service; entries that cannot be users are skipped and named.',
    description:
      'Takes what other services export: several names of members are understood, times in seconds or milliseconds. Good entries are imported although others are not; each that was skipped is named by its index with the reason. Keys that exist already are skipped, so the same list can be sent again.',
    example: {
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
    },
    method: 'POST',
    path: '/projects/:project_id/users/import',
    auth: 'project',
    scope: 'users:bulk',
    cost: 20,
    params: shape.ProjectParams,
    query: Nothing,
    body: shape.members({ users: ImportedUsers }),
    bodyLimit: 'import',
    judges: 'users',
    response: Imported,
    failures: { too_many_users_to_import: 0, account_expired: 1, no_users_given: 2 },
    async handle({ subject, caller, body }, deps) {
      return importUsers(deps, subject, body.users ?? [], caller.issuer)
    },
  },
  {
    v1: {
      summary:
        'Create users from the list of another service; entries that cannot be users are skipped and named. Or, as a dry run, tell what that would do.',
      body: shape.members({
        users: ImportedUsers,
        dry_run: shape.maybe(
          Type.Boolean({
            description:
              'answer what the import would do now, and change nothing: no user, no webhook, no audit entry',
            examples: [true],
          }),
        ),
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
        places_left: Type.Optional(
          shape.nullable(
            Type.Integer({
              minimum: 0,
              description: 'of a dry run: how many users there is room for; null when nothing limits them',
              examples: [5000],
            }),
          ),
        ),
        fits: Type.Optional(
          Type.Boolean({
            description:
              'of a dry run: false when the import would be refused with `too_many_users_to_import`, since it takes all or none',
            examples: [true],
          }),
        ),
      }),
      async handle({ subject, caller, body }, deps) {
        const { users, dry_run } = body
        const run = dry_run === true ? previewImport : importUsers
        return run(deps, subject, users ?? [], caller.issuer)
      },
    },
  },
)

export const userImports: readonly Endpoint[] = importMany
