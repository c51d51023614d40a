/** Endpoints that let operators list, make, download and remove backups. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import { Count, Done, members, nullable, size, Yes } from '../../api/shapes.ts'
import { issueOnce } from '../access/single-use.ts'
import { findBackupFile } from './archive/places.ts'
import { describeBackups, makeBackupNow, missingBackup, removeBackup } from './backups.ts'
import { downloadUrl, LINK_MS } from './pages.ts'

const NAME = 'scriptward-2026-09-21T14-13-20-000Z.tar.zst.age'
const FOLDER = '/var/lib/scriptward/backups'
const TIME = 1_790_000_000_000

const name = Type.String({ description: 'name of the file', examples: [NAME] })
const madeAt = Type.Integer({
  description: 'time of the snapshot that the backup contains',
  examples: [TIME],
})
const bytes = size('size of the file', 184_320_000)
const place = Type.String({ description: 'path of the file', examples: [`${FOLDER}/${NAME}`] })
const time = (description: string) => nullable(Type.Integer({ description, examples: [TIME + 21_600_000] }))

const BackupOfFolder = Type.Object({
  name,
  made_at: madeAt,
  bytes,
  sealed: Type.Boolean({ description: 'whether the backup is encrypted', examples: [true] }),
  before_migration: nullable(
    Type.String({
      description: 'migration that the backup was made before. Null for all other backups',
      examples: [null],
    }),
  ),
})

const Last = Type.Object({
  made_at: madeAt,
  place,
  machine: nullable(
    Type.String({
      description: 'machine that stores the file. Null if this process runs on that machine',
      examples: ['ward-1'],
    }),
  ),
})

const list = endpoint({
  name: 'admin.backups.list',
  summary: 'List backups',
  description:
    'Returns the backup status: `last` is the latest backup, from any machine or the command line, and `backups` lists the files in `folder` on the machine that responds. `last_error` is kept after a later success, so compare the times. A backup is listed once it is complete and its content has been verified.',
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

const params = members({
  backup_name: Type.String({ maxLength: 200, description: 'name of the file', examples: [NAME] }),
})

const download = endpoint({
  name: 'admin.backups.download',
  summary: 'Create a download link for a backup',
  description:
    'Returns a URL that downloads the file once, without credentials, within the next minute. The file is sent as it is stored: an encrypted backup stays encrypted. An unencrypted backup contains all sources, license keys and email addresses. With several machines, the URL only works on the machine that stores the file.',
  method: 'POST',
  path: '/v1/admin/backups/:backup_name/download',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
  params,
  response: Type.Object({
    success: Yes,
    url: Type.String({
      description: 'URL of the file',
      examples: ['https://ward.example.com/downloads/Zk9tcmRmZ2hqa2xxd2VydHl1aW9wYXNkZmdoamtsenh'],
    }),
    expires_at: Type.Integer({ description: 'when the URL stops working', examples: [TIME + LINK_MS] }),
  }),
  async handle({ params: { backup_name } }, deps) {
    if ((await findBackupFile(deps.config.backup.dir, backup_name)) === undefined)
      return missingBackup(backup_name)
    const expires_at = deps.now() + LINK_MS
    const use = { purpose: 'backup_download', data: { name: backup_name }, forMs: LINK_MS } as const
    const secret = await deps.db.transaction((tx) => issueOnce(deps, tx, use))
    return { url: downloadUrl(deps.config, secret), expires_at }
  },
})

const remove = endpoint({
  name: 'admin.backups.remove',
  summary: 'Remove a backup',
  description:
    'Deletes the file permanently from the backup directory of the machine that responds. If it was the latest backup, the most recent remaining one becomes `last`, so an automatic backup may start soon afterward.',
  method: 'POST',
  path: '/v1/admin/backups/:backup_name/remove',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
  params,
  response: Done,
  failures: { backup_not_removed: 0 },
  handle: async ({ params: { backup_name } }, deps) => (await removeBackup(deps, backup_name)) ?? {},
})

export const backups: readonly Endpoint[] = [list, make, download, remove]
