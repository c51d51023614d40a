/** A recovery drill: the backup of a running server is restored elsewhere, and clients keep working. */
import { randomBytes } from 'node:crypto'
import {
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Encrypter } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { command, configOf, hashesOf, rowsOf } from '../../../test/backup-commands.ts'
import { type Engine, engines, type Location, sqlite } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { freePort } from '../../../test/ports.ts'
import { run } from '../../../test/protocol/running.ts'
import { makeScene } from '../../../test/protocol/scene.ts'
import { readContents } from '../../database/engine/contents.ts'
import { askSqlite, sqliteTables } from '../../database/engine/sqlite/copy.ts'
import { makeAgeKeys } from '../../platform/secrets/age.ts'
import { openKeyring } from '../../platform/secrets/keyring.ts'
import { holdDataFolder } from '../../startup-checks.ts'
import { markOf, markOfFile, writeArchive } from './archive/archive.ts'
import type { Manifest } from './archive/manifest.ts'

const USERS = effort({ day: 4000, night: 10_000 })
const PASSPHRASE = 'seven green bottles'
const SEALED = { SCRIPTWARD_BACKUP_PASSPHRASE: PASSPHRASE }

const leftIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'service.lock')

/** Creates thousands of users, an obfuscated script, and another script with a client that runs it. */
async function prepare(server: TestServer) {
  const scene = await makeScene(server)
  await createScript(scene.owner, scene.projectId, { script: 'print("kept")' })
  const made = await scene.owner.post(`/v1/projects/${scene.projectId}/users/generate`, { amount: USERS })
  expect(made.status).toBe(200)
  const client = await run(scene.client, scene.scriptId, { key: await scene.addUser() })
  expect(await client.beat()).toMatchObject({ ok: true })
  return { scene, client }
}

/** Adds users one by one until stopped. Resolves to the keys that the server confirmed. */
function addUsers({ scene }: Awaited<ReturnType<typeof prepare>>) {
  const keys: string[] = []
  const stopping = new AbortController()
  const adding = (async () => {
    while (!stopping.signal.aborted) {
      const made = await scene.owner.post(`/v1/projects/${scene.projectId}/users/new`, {})
      keys.push(made.string('user_key'))
    }
  })()
  const stop = () => {
    stopping.abort()
    return adding
  }
  return { keys, stop }
}

/** A backup of an idle database, with a modified manifest and optionally another keyring. */
async function changedManifest(from: Location, file: string, change: Partial<Manifest>, other?: string) {
  const database = path.join(from.dataDir, 'scriptward.db')
  const keyring = other ?? readFileSync(path.join(from.dataDir, 'keyring.json'), 'utf8')
  const { schema, counts } = await askSqlite(database, (ask) => readContents(ask, sqliteTables))
  const manifest: Manifest = {
    ...{ format: 1, engine: 'SQLite', service: '0.1.0', made_at: 0, schema, counts },
    ...{ keyring: markOf(keyring), database: await markOfFile(database) },
    ...change,
  }
  const options = { seal: undefined, signal: new AbortController().signal }
  await writeArchive({ manifest, keyring, database }, createWriteStream(file), options)
  return file
}

/** Encrypts a file so that a passphrase takes milliseconds to try instead of a second. */
async function quicklySealed(content: Buffer): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(PASSPHRASE)
  encrypter.setScryptWorkFactor(10)
  return encrypter.encrypt(content)
}

async function otherKeyring(): Promise<string> {
  const { dataDir, remove } = await sqlite.locate()
  await openKeyring({ dataDir }, randomBytes, true)
  const text = readFileSync(path.join(dataDir, 'keyring.json'), 'utf8')
  await remove()
  return text
}

describe.each(engines)('a backup on $name', (engine: Engine) => {
  let port: number
  let server: TestServer
  let prepared: Awaited<ReturnType<typeof prepare>>
  let elsewhere: Location
  // A passphrase does not depend on the engine, and deriving its key takes a second.
  const settings = engine === sqlite ? SEALED : {}
  beforeAll(async () => {
    port = await freePort()
    server = await startServer(engine, { config: { port } })
    prepared = await prepare(server)
    elsewhere = await engine.locate()
  })
  afterAll(async () => {
    await server?.location.remove()
    await elsewhere?.remove()
  })

  it('of a running server contains every acknowledged row, and a client continues where it is restored', async () => {
    const file = path.join(server.location.dataDir, 'under-load.tar.zst')
    const load = addUsers(prepared)
    await expect.poll(() => load.keys.length).toBeGreaterThan(3)
    const acknowledged = [...load.keys]
    const { warned } = await command(server.location, ['backup', file], { settings })
    expect(warned === '').toBe(settings === SEALED)
    const during = load.keys.length
    await load.stop()
    expect(during).toBeGreaterThan(acknowledged.length)
    await server.stop()
    await command(elsewhere, ['restore', file], { settings })
    const [before, restored] = [await rowsOf(server.location), await rowsOf(elsewhere)]
    const users = [...(restored.get('users') ?? [])]
    for (const key of acknowledged) expect(users.some((row) => row.includes(key))).toBe(true)
    for (const table of ['users', 'scripts', 'script_versions', 'instances', 'audit_entries'])
      expect([...(restored.get(table) ?? [])].filter((row) => !before.get(table)?.has(row))).toEqual([])
    const again = await startServer(engine, { location: elsewhere, config: { port } })
    expect(await prepared.client.beat()).toMatchObject({ ok: true })
    const { scene } = prepared
    const owner = again.client(scene.owner.apiKey)
    for (const key of acknowledged.slice(0, 3)) expect((await owner.get(`/v1/users/${key}`)).status).toBe(200)
    await again.stop()
  })

  it('of an idle server contains every row, and opens with only the private key', async () => {
    const { publicKey, privateKey } = makeAgeKeys()
    const folder = path.join(server.location.dataDir, 'kept')
    const settings = { SCRIPTWARD_BACKUP_PUBLIC_KEY: publicKey }
    await command(server.location, ['backup', `${folder}/`], { settings })
    const [name = ''] = readdirSync(folder)
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600)
    expect(name).toMatch(/^scriptward-.+\.tar\.zst\.age$/)
    const keys = path.join(folder, 'keys')
    writeFileSync(keys, `# public key: ${publicKey}\n${privateKey}\n`)
    const target = await engine.locate()
    await command(target, ['restore', path.join(folder, name), '--private-key', keys])
    expect(await hashesOf(target)).toEqual(await hashesOf(server.location))
    expect(leftIn(target.dataDir).sort()).toEqual(
      target.databaseUrl === undefined ? ['keyring.json', 'scriptward.db'] : ['keyring.json'],
    )
    await target.remove()
  })

  it('can be written to standard output, and warns when it is not encrypted', async () => {
    const { bytes, warned, printed } = await command(server.location, ['backup', '-'])
    expect(warned).toContain('not encrypted')
    expect(printed).toBe('')
    const file = path.join(server.location.dataDir, 'piped.tar.zst')
    writeFileSync(file, bytes)
    const target = await engine.locate()
    expect((await command(target, ['restore', file])).printed).toContain('Restored the backup of')
    await expect(command(target, ['restore', file])).rejects.toThrow(/already contains (a database|tables)/)
    await target.remove()
  })
})

describe('a backup command', () => {
  it('leaves the database empty if the backup is truncated, changed, foreign, newer or for another engine', async () => {
    const server = await startServer(sqlite)
    const { owner, project } = await createOwner(server)
    await createScript(owner, project)
    const folder = server.location.dataDir
    const whole = path.join(folder, 'whole.tar.zst')
    await command(server.location, ['backup', whole])
    const sealed = path.join(folder, 'sealed.tar.zst.age')
    writeFileSync(sealed, await quicklySealed(readFileSync(whole)))
    await server.stop()
    const target = await sqlite.locate()
    const refused = async (file: string, words: string | RegExp, settings = {}) => {
      await expect(command(target, ['restore', file], { settings })).rejects.toThrow(words)
      expect(leftIn(target.dataDir)).toEqual([])
    }
    const bad = path.join(folder, 'bad')
    const make = (bytes: Buffer) => {
      writeFileSync(bad, bytes)
      return bad
    }
    const bytes = readFileSync(whole)
    for (const size of [20, bytes.length >> 1, bytes.length - 10])
      await refused(make(bytes.subarray(0, size)), 'damaged or truncated')
    for (const place of [30, bytes.length >> 1]) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed[place] ?? 0) ^ 255, place)
      await refused(make(changed), /damaged|not a Scriptward backup/)
    }
    await refused(
      make(Buffer.from('PK an archive of another kind, and long enough')),
      'not a Scriptward backup',
    )
    await refused(path.join(folder, 'none'), 'cannot be read')
    for (const [change, words] of [
      [{ format: 2 }, /made by a newer version of Scriptward .*format 2/],
      [{ schema: '9999-later' }, /made by a newer version of Scriptward .*schema 9999-later/],
      [{ engine: 'PostgreSQL' as const }, 'URL of an empty PostgreSQL database'],
      [{ counts: { users: 7 } }, 'does not match its manifest (users)'],
    ] as const)
      await refused(await changedManifest(server.location, bad, change), words)
    const foreignKeys = await changedManifest(server.location, bad, {}, await otherKeyring())
    await refused(foreignKeys, 'the keyring does not belong to this database')
    await refused(sealed, 'encrypted with a passphrase')
    await refused(sealed, 'the passphrase is wrong', { SCRIPTWARD_BACKUP_PASSPHRASE: 'eight green bottles' })
    truncateSync(sealed, statSync(sealed).size - 1000)
    await refused(sealed, 'damaged', SEALED)
    const stopping = new AbortController()
    const restoring = command(target, ['restore', whole], { signal: stopping.signal })
    stopping.abort()
    await expect(restoring).rejects.toThrow('stopped: nothing was changed')
    expect(leftIn(target.dataDir)).toEqual([])
    await target.remove()
    await server.location.remove()
  })

  it('reports an invalid path, and never overwrites a file', async () => {
    const location = await sqlite.locate()
    const file = path.join(location.dataDir, 'taken')
    await expect(command(location, ['backup', `${file}.tar.zst`])).rejects.toThrow('no database in')
    writeFileSync(file, 'mine')
    await expect(command(location, ['backup', file])).rejects.toThrow('already exists')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await expect(command(location, ['backup', `${file}/below/`])).rejects.toThrow('is not writable')
    await expect(command(location, ['backup', file, '--keep', '3'])).rejects.toThrow(
      `--keep needs a folder, but ${file} is a file`,
    )
    expect(leftIn(location.dataDir)).toEqual(['taken'])
    await location.remove()
  })

  it('does not restore to a file, or next to the remains of a database, whose changes SQLite would add', async () => {
    const server = await startServer(sqlite)
    const file = path.join(server.location.dataDir, 'whole.tar.zst')
    await command(server.location, ['backup', file])
    await server.stop()
    const target = await sqlite.locate()
    const left = path.join(target.dataDir, 'scriptward.db-wal')
    writeFileSync(left, 'changes')
    await expect(command(target, ['restore', file])).rejects.toThrow(
      `${target.dataDir} already contains scriptward.db-wal, a part of another database: set SCRIPTWARD_DATA_DIR to an empty folder`,
    )
    expect(leftIn(target.dataDir)).toEqual(['scriptward.db-wal'])
    rmSync(left)
    expect((await command(target, ['restore', file])).printed).toContain('Restored the backup of')
    await expect(command({ ...target, dataDir: file }, ['restore', file])).rejects.toThrow(
      `SCRIPTWARD_DATA_DIR: ${file} is a file, not a directory: give the user of this process write access, or choose another directory`,
    )
    await target.remove()
    await server.location.remove()
  })

  it('keeps servers from starting in the folder that it restores to', async () => {
    const server = await startServer(sqlite)
    const file = path.join(server.location.dataDir, 'whole.tar.zst')
    await command(server.location, ['backup', file])
    await server.stop()
    const target = await sqlite.locate()
    const start = () => holdDataFolder(configOf(target)).release()
    const { signal } = new AbortController()
    let refused: unknown
    // The command checks this just before it puts the database in place.
    signal.throwIfAborted = () => {
      try {
        start()
      } catch (error) {
        refused = error
      }
    }
    await command(target, ['restore', file], { signal })
    expect(String(refused)).toContain(`another server process is using ${target.dataDir}`)
    expect(start).not.toThrow()
    await target.remove()
    await server.location.remove()
  })

  it('creates the given folder, and cannot restore from a folder', async () => {
    const server = await startServer(sqlite)
    const folder = path.join(server.location.dataDir, 'nightly')
    const now = Date.UTC(2026, 5, 15)
    const { printed } = await command(server.location, ['backup', folder, '--keep', '2'], { now })
    const file = path.join(folder, 'scriptward-2026-06-15T00-00-00-000Z.tar.zst')
    expect(printed).toContain(file)
    await server.stop()
    const target = await sqlite.locate()
    await expect(command(target, ['restore', folder])).rejects.toThrow(
      `${folder} is a folder: name a file in it; the latest is ${file}`,
    )
    await expect(command(target, ['restore', target.dataDir])).rejects.toThrow(
      `${target.dataDir} is a folder and contains no backup`,
    )
    await target.remove()
    await server.location.remove()
  })

  it('with --keep 2 keeps the two newest backups in a folder, and leaves other files alone', async () => {
    const server = await startServer(sqlite)
    const folder = path.join(server.location.dataDir, 'backups')
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'mine.tar.zst'), '')
    for (let hour = 0; hour < 4; hour += 1)
      await command(server.location, ['backup', folder, '--keep', '2'], { now: Date.UTC(2026, 5, 15, hour) })
    expect(readdirSync(folder).sort()).toEqual([
      'mine.tar.zst',
      'scriptward-2026-06-15T02-00-00-000Z.tar.zst',
      'scriptward-2026-06-15T03-00-00-000Z.tar.zst',
    ])
    const earlier = { now: Date.UTC(2026, 5, 14) }
    await command(server.location, ['backup', folder, '--keep', '2'], earlier)
    const made = 'scriptward-2026-06-14T00-00-00-000Z.tar.zst'
    expect(readdirSync(folder), 'the one just made, even if the clock was wrong').toContain(made)
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
