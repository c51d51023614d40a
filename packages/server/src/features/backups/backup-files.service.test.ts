/** Operators can download and remove complete backups, and no other files. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../../test/backup-commands.ts'
import { anyEngine } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { until } from '../../../test/patience.ts'
import { browserOf } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { changeRows } from '../../../test/stored.ts'

const MINUTE_MS = 60_000
const NAME = 'scriptward-2026-06-01T12-00-00-000Z.tar.zst'
const PATH = '/v1/admin/backups'
const REFUSED = [
  '../scriptward.db',
  '..%2Fscriptward.db',
  `..%2F${NAME}`,
  `.%2F${NAME}`,
  `${NAME}%00`,
  `${NAME}%2F..%2F${NAME}`,
  '%2Fetc%2Fpasswd',
  'keyring.json',
  '.scriptward-backup-abc',
  '.scriptward-backup-abc%2Farchive',
  'scriptward-2026-06-01T12-00-00-000Z.tar.zst.part',
  'scriptward-2026-06-02T12-00-00-000Z.tar.zst',
]

describe.each(anyEngine)('the backups of a server on $name', (engine) => {
  let server: TestServer
  let folder: string
  beforeAll(async () => {
    server = await startServer(engine)
    folder = server.deps.config.backup.dir
    mkdirSync(folder, { recursive: true })
  })
  afterAll(() => server?.close())

  const make = async (): Promise<string> => {
    server.clock.now += MINUTE_MS
    const made = await server.admin.post(PATH)
    return (made.body.backup as { name: string }).name
  }
  const linkTo = async (name: string) => (await server.admin.post(`${PATH}/${name}/download`)).string('url')
  /** The link contains the public URL, but the test server has a different URL. */
  const fetched = (url: string) => fetch(server.url + new URL(url).pathname)
  const shown = async () =>
    (await server.admin.get(PATH)).body as {
      last: { made_at: number; place: string } | null
      next_at: number | null
      backups: { name: string }[]
    }

  it('are downloaded unchanged, once, within a minute', async () => {
    const name = await make()
    const stored = readFileSync(path.join(folder, name))
    const url = await linkTo(name)
    const answer = await fetched(url)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(stored.length),
      'cache-control': 'no-store',
    })
    expect(Buffer.from(await answer.arrayBuffer()).equals(stored)).toBe(true)
    expect((await fetched(url)).status).toBe(404)
    const late = await linkTo(name)
    server.clock.now += MINUTE_MS
    expect((await fetched(late)).status).toBe(404)
    expect((await fetch(`${server.url}/downloads/${'A'.repeat(43)}`)).status).toBe(404)
    const { entries } = (await server.admin.get('/v1/admin/audit?action=admin.backups.download')).body
    expect(entries).toMatchObject([{ nouns: { backup_name: name } }, { nouns: { backup_name: name } }])
    expect(server.log.join('\n')).not.toContain(new URL(late).pathname)
  })

  it('can be restored from the downloaded file', async () => {
    const answer = await fetched(await linkTo(await make()))
    const target = await engine.locate()
    const file = path.join(target.dataDir, 'downloaded.tar.zst')
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
    const { printed } = await command(target, ['restore', file])
    expect(printed).toContain('All rows were restored')
    await target.remove()
  })

  it('are streamed: a file larger than the memory of a request reaches a slow client, even if it is removed', async () => {
    const size = 300_000_000
    writeFileSync(path.join(folder, NAME), '')
    truncateSync(path.join(folder, NAME), size)
    // Buffers of earlier tests in this worker that are not freed yet must not count.
    const before = process.memoryUsage().external
    const answer = await fetched(await linkTo(NAME))
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    const held = process.memoryUsage().external - before
    expect((await server.admin.post(`${PATH}/${NAME}/remove`)).status).toBe(200)
    let bytes = first?.value?.length ?? 0
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      bytes += part.value.length
    expect(bytes).toBe(size)
    expect(held).toBeLessThan(size / 2)
  })

  it('close their file when a client disconnects', async () => {
    writeFileSync(path.join(folder, NAME), '')
    truncateSync(path.join(folder, NAME), 100_000_000)
    const file = path.join(folder, NAME)
    const open = () => readdirSync('/proc/self/fd').filter((fd) => isLinkTo(fd, file)).length
    const stopping = new AbortController()
    const url = new URL(await linkTo(NAME)).pathname
    const answer = await fetch(server.url + url, { signal: stopping.signal })
    await answer.body?.getReader().read()
    expect(open()).toBe(1)
    stopping.abort()
    await until(async () => open() === 0)
    rmSync(file)
  })

  it('are the only files that can be downloaded or removed', async () => {
    mkdirSync(path.join(folder, '.scriptward-backup-abc'), { recursive: true })
    writeFileSync(path.join(folder, '.scriptward-backup-abc', 'archive'), 'half')
    symlinkSync(path.join(folder, '..', 'keyring.json'), path.join(folder, NAME))
    mkdirSync(path.join(folder, 'scriptward-2026-06-02T12-00-00-000Z.tar.zst'))
    for (const name of [...REFUSED, NAME])
      for (const what of ['download', 'remove']) {
        const { status, error } = await server.admin.post(`${PATH}/${name}/${what}`)
        expect([name, what, status, error.type]).toEqual([
          name,
          what,
          404,
          expect.stringMatching(/not_found|invalid_endpoint/),
        ])
      }
    expect(existsSync(path.join(folder, '.scriptward-backup-abc', 'archive'))).toBe(true)
    expect(statSync(path.join(folder, '..', 'keyring.json')).size).toBeGreaterThan(0)
    for (const name of readdirSync(folder).filter((one) => one.startsWith('.') || one.includes('2026-06-0')))
      rmSync(path.join(folder, name), { recursive: true })
  })

  it('are downloaded and removed by operators only, and by a dashboard user only after a recent login', async () => {
    const name = await make()
    const { owner } = await createOwner(server)
    for (const what of ['download', 'remove'])
      expect((await owner.post(`${PATH}/${name}/${what}`)).error.type).toBe('forbidden')
    await changeRows(server, 'customers', { id: owner.id }, { admin: 1 })
    const person = await browserOf(server, await createPerson(server, owner.id))
    server.clock.now += 11 * MINUTE_MS
    for (const what of ['download', 'remove'])
      expect((await person.post(`${PATH}/${name}/${what}`, {})).error.type).toBe('fresh_sign_in_needed')
    expect((await shown()).backups.some((one) => one.name === name)).toBe(true)
  })

  it('are removed for good: the newest that is left becomes the last backup', async () => {
    const [first, second] = [await make(), await make()]
    expect((await shown()).last?.place).toBe(path.join(folder, second))
    expect((await server.admin.post(`${PATH}/${second}/remove`)).body).toEqual({ success: true })
    expect(existsSync(path.join(folder, second))).toBe(false)
    expect((await server.admin.post(`${PATH}/${second}/remove`)).error).toMatchObject({
      type: 'not_found',
      message: expect.stringContaining(second),
    })
    expect((await shown()).last?.place).toBe(path.join(folder, first))
    const third = await make()
    // A container gets a new name each time it is recreated.
    await changeRows(server, 'backup_state', { id: 1 }, { machine: 'a-former-name' })
    await server.admin.post(`${PATH}/${third}/remove`)
    expect((await shown()).last?.place).toBe(path.join(folder, first))
    for (const { name } of (await shown()).backups) await server.admin.post(`${PATH}/${name}/remove`)
    expect(await shown()).toMatchObject({ last: null, backups: [] })
    const { entries } = (await server.admin.get('/v1/admin/audit?action=admin.backups.remove&limit=1')).body
    expect(entries).toMatchObject([{ nouns: { backup_name: expect.stringMatching(/^scriptward-/) } }])
  })
})

function isLinkTo(fd: string, file: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === file
  } catch {
    return false
  }
}
