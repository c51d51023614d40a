/** Endpoints for operators to list and make backups. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import { Count, nullable, Yes } from '../../api/shapes.ts'
import { describeBackups, makeBackupNow } from './backups.ts'

const NAME = 'scriptward-2026-09-21T14-13-20-000Z.tar.zst.age'
const FOLDER = '/var/lib/scriptward/backups'
const TIME = 1_790_000_000_000

const name = Type.String({ description: 'name of the file', examples: [NAME] })
const madeAt = Type.Integer({
  description: 'time of the snapshot that the backup contains',
  examples: [TIME],
})
const bytes = Type.Integer({ ...Count, description: 'size of the file, in bytes', examples: [184_320_000] })
const place = Type.String({ description: 'path of the file', examples: [`${FOLDER}/${NAME}`] })
const time = (description: string) => nullable(Type.Integer({ description, examples: [TIME + 21_600_000] }))

const BackupOfFolder = Type.Object({
  name,
  made_at: madeAt,
  bytes,
  sealed: Type.Boolean({ description: 'whether the backup is encrypted', examples: [true] }),
  before_migration: nullable(
    Type.String({
      description: 'migration that the backup was made before. Null for backups not made by a migration',
      examples: [null],
    }),
  ),
})

const Last = Type.Object({
  made_at: madeAt,
  place,
  machine: nullable(
    Type.String({
      description: 'machine that stores the file. Null if it is the machine of this process',
      examples: ['ward-1'],
    }),
  ),
})

const list = endpoint({
  name: 'admin.backups.list',
  summary: 'List backups',
  description:
    'Returns the backup status: `last` is the latest backup across all machines and the command line, `backups` lists the files in `folder` on the machine that responds. `last_error` is kept after a later success, so compare the times. Backups contain all data of the server, so their content cannot be downloaded here.',
  method: 'GET',
  path: '/v1/admin/backups',
  auth: 'admin',
  scope: 'admin',
  response: Type.Object({
    success: Yes,
    running: Type.Boolean({ description: 'whether a backup is currently running', examples: [false] }),
    every: nullable(
      Type.Integer({
        description:
          'backup interval in milliseconds, as set by SCRIPTWARD_BACKUP_EVERY. Null if automatic backups are disabled',
        examples: [21_600_000],
      }),
    ),
    keep: Type.Integer({ ...Count, description: 'number of backups to keep', examples: [14] }),
    folder: Type.String({ examples: [FOLDER] }),
    sealed: Type.Boolean({ description: 'whether the next backup will be encrypted', examples: [true] }),
    next_at: time('time of the next backup. Null if automatic backups are disabled'),
    last: nullable(Last),
    last_error_at: nullable(
      Type.Integer({ description: 'time of the last failed backup', examples: [null] }),
    ),
    last_error: nullable(Type.String({ description: 'cause of the last failure', examples: [null] })),
    backups: Type.Array(BackupOfFolder),
  }),
  handle: (_call, deps) => describeBackups(deps),
})

const make = endpoint({
  name: 'admin.backups.make',
  summary: 'Create a backup',
  description:
    'Writes the database and the keyring to one file in the backup directory and removes the oldest backups there, like the automatic backup. The response is sent once the backup is complete, which takes up to a minute for a million users, so set the timeouts of your client and proxy accordingly. The server keeps handling other requests. If the connection is lost, the backup continues; check `GET /v1/admin/backups` for the result.',
  method: 'POST',
  path: '/v1/admin/backups',
  auth: 'admin',
  scope: 'admin',
  cost: 20,
  response: Type.Object({
    success: Yes,
    backup: Type.Object({ name, place, made_at: madeAt, bytes }),
  }),
  failures: { backup_running: 0, backup_failed: 1 },
  async handle(_call, deps) {
    const backup = await makeBackupNow(deps)
    if (backup instanceof Refused) return backup
    deps.annotateAudit({ nouns: { backup: backup.name } })
    return { backup }
  },
})

export const backups: readonly Endpoint[] = [list, make]
