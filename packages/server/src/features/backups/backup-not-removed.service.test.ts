/**
 * The server cannot remove a backup from a read-only folder. The backup stays, and the error names the file
 * and the cause.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyEngine, type Location } from '../../../test/databases.ts'
import { outside } from '../../../test/harness.ts'
import { listening, settingsFor } from '../../../test/processes/serving.ts'
import { programOf } from '../../../test/programs.ts'

const NAME = 'scriptward-2026-06-01T12-00-00-000Z.tar.zst'
/** File permissions don't apply to root unless it drops the capability that overrides them. */
const BOUND = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : ['env']

describe.each(anyEngine)('a backup in a read-only folder, on $name,', (engine) => {
  let location: Location
  let child: ChildProcess
  let ended: Promise<unknown> | undefined
  let folder: string
  let url: string

  beforeAll(async () => {
    location = await engine.locate()
    folder = path.join(location.dataDir, 'read-only')
    mkdirSync(folder)
    writeFileSync(path.join(folder, NAME), '')
    chmodSync(folder, 0o500)
    const [command = '', ...words] = [...BOUND, process.execPath, programOf('service'), 'serve']
    const env = { ...settingsFor(location), SCRIPTWARD_BACKUP_DIR: folder, SCRIPTWARD_JOBS: 'false' }
    child = spawn(command, words, { env })
    ended = once(child, 'exit')
    url = await listening(child)
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    await ended
    if (folder !== undefined) chmodSync(folder, 0o700)
    await location?.remove()
  })

  it('is not removed, and the error says why', async () => {
    const { status, error } = await outside(url).admin.post(`/v1/admin/backups/${NAME}/remove`)
    expect([status, error]).toMatchObject([503, { type: 'backup_not_removed' }])
    expect(error.message).toBe(`The backup was not removed. Cause: ${path.join(folder, NAME)} (EACCES).`)
    expect(readdirSync(folder)).toEqual([NAME])
  })
})
