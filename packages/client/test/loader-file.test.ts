// Tests that a loader saved as a file trusts only the keys that it was built with, even behind an untrusted
// proxy.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ed25519Pair, makeBootId, signBootRecord, toB64u } from '../src/wire.ts'
import { Peer, SCRIPT_ID } from './peer.ts'
import { COMMANDS, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

const peer = new Peer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const RAN = { status: 0, stdout: 'ran\n', stderr: '' }
const NOT_SIGNED = 'scriptward: the boot record is not signed by the server that issued this loader'
const paths = () => peer.exchanges.map(({ method, url }) => `${method} ${url}`)
const start = (text: string, command = 'luajit') =>
  runLoader({ command, text, before: 'script_key = "K"', env: TRANSPORTS.LuaSocket })

describe.each(COMMANDS)('a loader file on $name', ({ name, missing }) => {
  test.skipIf(missing)(`runs with a boot record that its server signed ${missing ?? ''}`, async () => {
    expect(await start(peer.file(), name)).toEqual(RAN)
    expect(paths().slice(0, 2)).toEqual([`GET /boot?script=${SCRIPT_ID}`, 'POST /exec'])
  })

  test.skipIf(missing)(
    `rejects a boot record signed by anyone else, and reveals nothing ${missing ?? ''}`,
    async () => {
      const thief = ed25519Pair(randomBytes(32))
      peer.reset({ boot: (record) => JSON.stringify(signBootRecord(thief.privateKey, record)) })
      const { status, stdout, stderr } = await start(peer.file(), name)
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(NOT_SIGNED)])
      expect(paths()).toEqual([`GET /boot?script=${SCRIPT_ID}`])
    },
  )
})

test('a loader file runs in Luau, and rejects records signed by others there too', async () => {
  expect(await runLuau({ text: peer.file() })).toMatchObject(RAN)
  const thief = ed25519Pair(randomBytes(32))
  peer.reset({ boot: (record) => JSON.stringify(signBootRecord(thief.privateKey, record)) })
  const { stdout, stderr } = await runLuau({ text: peer.file() })
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(NOT_SIGNED)])
})

describe('a loader file', () => {
  const id = (scriptId: string) =>
    toB64u(makeBootId(randomBytes(32), { nonce: randomBytes(12), scriptId, expires: Date.now() + 60_000 }))

  test.each([
    ['with a changed field', (text: string) => text.replace('"sv":1', '"sv":2')],
    [
      'with a different server key',
      (text: string) => text.replace(/"ek":"[^"]*"/, `"ek":"${toB64u(randomBytes(32))}"`),
    ],
    ['with a field after the signature', (text: string) => text.replace(/}$/, ',"sv":9}')],
    ['with a field inserted before the signature', (text: string) => text.replace(',"sig"', ',"sv":9,"sig"')],
    [
      'with a second signature',
      (text: string) => text.replace(/}$/, `,"sig":"${toB64u(Buffer.alloc(64))}"}`),
    ],
    ['without a signature', (text: string) => text.replace(/,"sig":"[^"]*"/, '')],
    ['with a truncated signature', (text: string) => text.replace(/..(?="}$)/, '')],
    ['with text before it', (text: string) => ` ${text}`],
  ])('rejects a signed record %s', async (_, change) => {
    peer.reset({ boot: (record) => change(JSON.stringify(record)) })
    expect((await start(peer.file())).stderr).toContain(NOT_SIGNED)
    expect(paths()).toEqual([`GET /boot?script=${SCRIPT_ID}`])
  })

  test('rejects a record that its server signed for another script', async () => {
    const { privateKey } = peer.signing
    peer.reset({
      boot: (record) => JSON.stringify(signBootRecord(privateKey, { ...record, boot: id('scr_other') })),
    })
    expect((await start(peer.file())).stderr).toContain(NOT_SIGNED)
  })

  test("accepts records signed with the server's next key, but not with the one after that", async () => {
    const [now, next] = [peer.signing, ed25519Pair(randomBytes(32))]
    const text = peer.file({ pins: [now, next].map(({ publicKey }) => toB64u(publicKey)) })
    try {
      peer.signing = next
      expect(await start(text)).toEqual(RAN)
      peer.signing = ed25519Pair(randomBytes(32))
      expect((await start(text)).stderr).toContain(NOT_SIGNED)
    } finally {
      peer.signing = now
    }
  })

  test('also verifies the record that replaces a used one', async () => {
    let asked = 0
    const thief = ed25519Pair(randomBytes(32))
    peer.reset({
      refuse: { status: 409, times: 1 },
      boot: (record) => JSON.stringify(asked++ === 0 ? record : signBootRecord(thief.privateKey, record)),
    })
    expect((await start(peer.file())).stderr).toContain(NOT_SIGNED)
    expect(paths()).toEqual([`GET /boot?script=${SCRIPT_ID}`, 'POST /exec', `GET /boot?script=${SCRIPT_ID}`])
  })
})
