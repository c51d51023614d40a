/**
 * Whatever URL the server uses for its PostgreSQL database, backups use it too, although PostgreSQL's
 * programs read URLs differently from the server's driver.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, hashesOf } from '../../../test/backup-commands.ts'
import { signCertificate } from '../../../test/certificate-authority.ts'
import { isRefusal, type Location } from '../../../test/databases.ts'
import { findOwner, type Server, startPostgres } from '../../../test/postgres.ts'
import { openDatabase } from '../../database/engine/open.ts'
import { onPostgres } from '../../database/engine/postgres/programs.ts'
import { openKeyring } from '../../platform/secrets/keyring.ts'

let folder: string
let server: Server | undefined
const authorities = getCACertificates('default')

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-addresses-'))
  const owner = findOwner()
  const { caFile } = signCertificate('DNS:localhost', folder)
  const [key, certificate] = [path.join(folder, 'host.key'), path.join(folder, 'host.pem')]
  if (owner) for (const place of [folder, key]) chownSync(place, owner.uid, owner.gid)
  server = await startPostgres([
    `unix_socket_directories=${folder}`,
    ...['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`],
  ])
  setDefaultCACertificates([...authorities, readFileSync(caFile, 'utf8')])
})
afterAll(async () => {
  setDefaultCACertificates(authorities)
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Creates an empty database and returns its location, with this URL. */
async function locate(name: string, urlOf: (port: string) => string): Promise<Location> {
  const dataDir = path.join(folder, name)
  mkdirSync(dataDir, { mode: 0o700 })
  const url = server?.url ?? ''
  await onPostgres(url, (client) => client.query(`create database ${name}`))
  return { dataDir, databaseUrl: urlOf(new URL(url).port), isRefusal, remove: async () => {} }
}

const ADDRESSES = [
  ['a Unix socket', (db, port) => `postgres://scriptward:any@/${db}?host=${folder}&port=${port}`],
  ['TLS with a certificate that Node trusts', (db, port) => `${tcp(db, port)}?sslmode=verify-full`],
  ['TLS with any certificate', (db, port) => `${tcp(db, port)}?sslmode=no-verify`],
  ["the modes of PostgreSQL's programs", (db, port) => `${tcp(db, port)}?${COMPATIBLE}`],
  ['options of the session', (db, port) => `${tcp(db, port)}?options=-c%20work_mem%3D8MB&password=any`],
] as const satisfies readonly (readonly [string, (db: string, port: string) => string])[]
const COMPATIBLE = 'uselibpqcompat=true&sslmode=require'
const tcp = (db: string, port: string) => `postgres://scriptward@localhost:${port}/${db}`

describe('a PostgreSQL database', () => {
  it.each(ADDRESSES)('that the server reaches with %s is backed up and restored', async (_, urlOf) => {
    const name = `db_${randomBytes(6).toString('hex')}`
    const location = await locate(name, (port) => urlOf(name, port))
    const target = await locate(`${name}_restored`, (port) => urlOf(`${name}_restored`, port))
    await (await openDatabase(location)).close()
    await openKeyring(location, randomBytes, true)
    const file = path.join(folder, `${name}.tar.zst`)
    await command(location, ['backup', file])
    await command(target, ['restore', file])
    expect(await hashesOf(target)).toEqual(await hashesOf(location))
  })
})
