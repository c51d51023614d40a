/** Backups that the service makes, as operators see them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import { Count, nullable, Yes } from '../../api/shapes.ts'
import { describeBackups, makeBackupNow } from './backups.ts'

const NAME = 'scriptward-2026-09-21T14-13-20-000Z.tar.zst.age'
const FOLDER = '/var/lib/scriptward/backups'
const TIME = 1_790_000_000_000

const name = Type.String({ description: 'of the file', examples: [NAME] })
const madeAt = Type.Integer({ description: 'what it holds is as it was then', examples: [TIME] })
const bytes = Type.Integer({ ...Count, description: 'size of the file', examples: [184_320_000] })
const place = Type.String({ description: 'path of the file', examples: [`${FOLDER}/${NAME}`] })
const time = (description: string) => nullable(Type.Integer({ description, examples: [TIME + 21_600_000] }))

const BackupOfFolder = Type.Object({
  name,
  made_at: madeAt,
  bytes,
  sealed: Type.Boolean({ description: 'whether it is encrypted', examples: [true] }),
  before_migration: nullable(
    Type.String({
      description: 'the change of the schema before which a start made it; null for all others',
      examples: [null],
    }),
  ),
})

const Last = Type.Object({
  made_at: madeAt,
  place,
  machine: nullable(
    Type.String({ description: 'that has the file; null for that of this process', examples: ['ward-1'] }),
  ),
})

const list = endpoint({
  name: 'admin.backups.list',
  summary: 'List the backups in the folder of the service, and when the next one is due.',
  description:
    'For a look at whether backups are made: `last` is the newest of all machines and of the command line, `backups` are the files in `folder` on the machine that answers. `last_error` stays after a success, so compare the times. A backup holds everything of the service, so its content cannot be read here.',
  method: 'GET',
  path: '/v1/admin/backups',
  auth: 'admin',
  scope: 'admin',
  response: Type.Object({
    success: Yes,
    running: Type.Boolean({ description: 'whether a process makes one now', examples: [false] }),
    every: nullable(
      Type.Integer({
        description: 'milliseconds, as SCRIPTWARD_BACKUP_EVERY says; null when none is made by itself',
        examples: [21_600_000],
      }),
    ),
    keep: Type.Integer({ ...Count, description: 'how many are stored', examples: [14] }),
    folder: Type.String({ examples: [FOLDER] }),
    sealed: Type.Boolean({ description: 'whether the next one will be encrypted', examples: [true] }),
    next_at: time('when the next one is due; null when none is made by itself'),
    last: nullable(Last),
    last_error_at: nullable(Type.Integer({ description: 'when one could not be made', examples: [null] })),
    last_error: nullable(Type.String({ description: 'why', examples: [null] })),
    backups: Type.Array(BackupOfFolder),
  }),
  handle: (_call, deps) => describeBackups(deps),
})

const make = endpoint({
  name: 'admin.backups.make',
  summary: 'Make a backup now; the answer comes when it is there.',
  description:
    'Writes database and keyring into one file in the folder of the service and removes the oldest ones there, as the job does by time. Other requests are answered meanwhile; of a million users it takes up to a minute, so give your client and your proxy that time. A backup goes on when the connection is lost, and `GET /v1/admin/backups` tells how it ended. It counts as 20 requests.',
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
    deps.note({ nouns: { backup: backup.name } })
    return { backup }
  },
})

export const backups: readonly Endpoint[] = [list, make]
