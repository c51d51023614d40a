/** A backup that exceeds the free disk space fails with a helpful message and leaves no partial file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyEngine, type Engine, type Location } from '../../../test/databases.ts'
import { outside, startServer } from '../../../test/harness.ts'
import { mayMount, UNSHARE } from '../../../test/mounts.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { listening, settingsFor } from '../../../test/processes/serving.ts'
import { programOf } from '../../../test/programs.ts'

const MOUNT = 'mount -t tmpfs -o size=200k none "$SMALL_DISK" && exec "$@"'

describe.runIf(mayMount()).each(anyEngine)(
  'a backup to a disk that is too small, on $name,',
  (engine: Engine) => {
    let location: Location
    let child: ChildProcess
    let ended: Promise<unknown> | undefined
    let url: string
    let disk: string
    beforeAll(async () => {
      location = await engine.locate()
      disk = path.join(location.dataDir, 'small-disk')
      mkdirSync(disk)
      const server = await startServer(engine, { location })
      const { owner, project } = await createOwner(server)
      const noise = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
      await createScript(owner, project, { script: `return "${noise}"` })
      await server.stop()
      const env = { ...settingsFor(location), SMALL_DISK: disk, SCRIPTWARD_BACKUP_DIR: disk }
      child = spawn(
        'unshare',
        [...UNSHARE, 'sh', '-c', MOUNT, 'sh', process.execPath, programOf('service'), 'serve'],
        {
          env,
        },
      )
      ended = once(child, 'exit')
      url = await listening(child)
    })
    afterAll(async () => {
      child?.kill('SIGKILL')
      await ended
      await location?.remove()
    })

    it('fails with a helpful message, leaves nothing behind, and does not stop the server', async () => {
      const { admin } = outside(url)
      const { status, error } = await admin.post('/v1/admin/backups')
      expect([status, error]).toMatchObject([503, { type: 'backup_failed' }])
      // The size of a SQLite backup is known in advance, while a PostgreSQL dump fails only when the disk is
      // full.
      const sqlite = /needs \d+ MB, but only 1 MB are free\. Free up space, or choose another folder$/
      const postgres = /is full\. Free up space, or choose another folder$/
      expect(error.why).toMatch(engine.name === 'SQLite' ? sqlite : postgres)
      expect(String(error.why)).toContain(`the disk of ${disk}`)
      expect((await admin.get('/v1/admin/backups')).body).toMatchObject({
        running: false,
        last_error: error.why,
      })
      expect(readdirSync(`/proc/${child.pid}/root${disk}`)).toEqual([])
      expect((await admin.post('/v1/projects/new', { name: 'goes on' })).status).toBe(200)
    })
  },
)
