/** The keyring file is created once, read on later starts, and rejected if it can't be trusted. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openKeyring, rotateKeyring } from './keyring.ts'

const WEEK_MS = 7 * 86_400_000

describe('the keyring', () => {
  let folder = ''
  const file = () => path.join(folder, 'keyring.json')
  const open = () => openKeyring({ dataDir: folder }, randomBytes, true)
  const write = (content: unknown) =>
    writeFileSync(file(), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-keyring-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is created on the first start, readable only by its owner, without leaving a temporary file', async () => {
    await open()
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
  })

  it('is the same at every start and for processes that start concurrently', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, open))
    rings.push(await open())
    expect(new Set(rings.map((one) => one.server.exchange.kid)).size).toBe(1)
    expect(new Set(rings.map((one) => one.name)).size).toBe(1)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
  })

  it('lists public keys only', async () => {
    const ring = await open()
    const listed = JSON.stringify(ring.server.publicKeys(0))
    const { generations } = JSON.parse(readFileSync(file(), 'utf8')) as {
      generations: Record<string, string>[]
    }
    expect(listed).toContain(ring.server.exchange.kid)
    for (const secret of [generations[0]?.x25519, generations[0]?.ed25519])
      expect(listed).not.toContain(secret)
  })

  it('accepts a previous generation until it expires', async () => {
    await open()
    const content = JSON.parse(readFileSync(file(), 'utf8'))
    const former = {
      x25519: randomBytes(32).toString('base64url'),
      ed25519: randomBytes(32).toString('base64url'),
      not_after: 500,
    }
    write({ ...content, generations: [former, ...content.generations] })
    const ring = await open()
    const [kid = ''] = ring.server.publicKeys(499).keys.map((key) => key.kid)
    expect(ring.server.exchange.kid).not.toBe(kid)
    expect(ring.server.findExchange(kid, 499)?.kid).toBe(kid)
    expect(ring.server.findExchange(kid, 500)).toBeUndefined()
    expect(ring.server.publicKeys(500).keys).toHaveLength(1)
  })

  it('is not replaced when it is missing but data depends on it', async () => {
    await expect(openKeyring({ dataDir: folder }, randomBytes, false)).rejects.toThrow(
      'keyring.json is missing, but the database contains accounts',
    )
    await expect(rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 0 })).rejects.toThrow(
      'is missing',
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('gets a new generation and accepts the previous one for a week', async () => {
    const before = await open()
    const rotate = (now: number) => rotateKeyring({ dataDir: folder }, { random: randomBytes, now })
    const { keys } = await rotate(1000)
    const after = await open()
    expect(keys.map(({ kid }) => kid)).toEqual([before.server.exchange.kid, after.server.exchange.kid])
    expect(after.server.exchange.kid).not.toBe(before.server.exchange.kid)
    expect(after.server.findExchange(before.server.exchange.kid, 1000 + WEEK_MS - 1)?.kid).toBe(
      before.server.exchange.kid,
    )
    expect(after.server.findExchange(before.server.exchange.kid, 1000 + WEEK_MS)).toBeUndefined()
    for (const name of ['fingerprintPepper', 'watermarkRoot', 'name'] as const)
      expect(after[name]).toEqual(before[name])
    for (const kind of ['source', 'providerData', 'instanceSecrets'] as const)
      expect(after.openText(kind, 'id', before.seal(kind, 'id', 'text'))).toBe('text')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
    expect((await rotate(2000 + WEEK_MS)).keys).toHaveLength(2)
  })

  it('pins the next generation, which the next rotation activates', async () => {
    const before = await open()
    const [now, next] = before.server.pins(0)
    expect(before.server.pins(0)).toHaveLength(2)
    expect(now?.kid).toBe(before.server.exchange.kid)
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1000 })
    const after = await open()
    expect(after.server.exchange.kid).toBe(next?.kid)
    expect(after.server.publicKeys(1000).keys.map(({ ed25519 }) => ed25519)).toEqual([
      now?.ed25519,
      next?.ed25519,
    ])
    const pinned = after.server.pins(1000).map(({ kid }) => kid)
    expect(pinned.slice(0, 2)).toEqual([now?.kid, next?.kid])
    expect(new Set(pinned).size).toBe(3)
  })

  it('from a version without a next generation gets one at its next rotation', async () => {
    await open()
    const { next: _, ...old } = JSON.parse(readFileSync(file(), 'utf8'))
    write(old)
    expect((await open()).server.pins(0)).toHaveLength(1)
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1000 })
    expect((await open()).server.pins(1000)).toHaveLength(3)
  })

  it('encrypts with a new key after a rotation, and running processes can still decrypt', async () => {
    const before = await open()
    const old = before.seal('source', 'id', 'old')
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1000 })
    const after = await open()
    const fresh = after.seal('source', 'id', 'new')
    expect(fresh.length).toBe(old.length + 2)
    expect(before.openText('source', 'id', fresh)).toBe('new')
    expect(after.openText('source', 'id', old)).toBe('old')
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 2000 })
    const later = await open()
    for (const [sealed, text] of [
      [old, 'old'],
      [fresh, 'new'],
      [later.seal('source', 'id', 'newest'), 'newest'],
    ] as const)
      expect(later.openText('source', 'id', sealed)).toBe(text)
  })

  it('from a version without data keys decrypts existing data and gets data keys at its next rotation', async () => {
    await open()
    const { data_keys: _, ...old } = JSON.parse(readFileSync(file(), 'utf8'))
    write(old)
    const sealed = (await open()).seal('source', 'id', 'old')
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1000 })
    const after = await open()
    expect(after.openText('source', 'id', sealed)).toBe('old')
    expect(after.seal('source', 'id', 'old').length).toBe(sealed.length + 2)
  })

  it('lists the current public webhook key first, and the previous one for a week', async () => {
    const before = await open()
    expect(before.webhooks.accepted(0).map(({ id, notAfter }) => [id, notAfter])).toEqual([
      [before.webhooks.signing.id, null],
    ])
    await rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1000 })
    const after = await open()
    expect(after.webhooks.signing.id).not.toBe(before.webhooks.signing.id)
    const listed = (now: number) => after.webhooks.accepted(now).map(({ id, notAfter }) => [id, notAfter])
    const end = 1000 + WEEK_MS
    expect(listed(end - 1)).toEqual([
      [after.webhooks.signing.id, null],
      [before.webhooks.signing.id, end],
    ])
    expect(listed(end)).toEqual([[after.webhooks.signing.id, null]])
  })

  it('allows only one of several concurrent rotations at a time', async () => {
    await open()
    const rotations = Array.from({ length: 6 }, () =>
      rotateKeyring({ dataDir: folder }, { random: randomBytes, now: 1 }),
    )
    const settled = await Promise.allSettled(rotations)
    const done = settled.filter(({ status }) => status === 'fulfilled').length
    expect(done).toBeGreaterThan(0)
    const { generations } = JSON.parse(readFileSync(file(), 'utf8')) as { generations: unknown[] }
    expect(generations).toHaveLength(done + 1)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
    for (const one of settled)
      if (one.status === 'rejected') expect(String(one.reason)).toContain('try again')
  })

  it.each([0o640, 0o604, 0o660])('is rejected with a fix when its mode is %o', async (mode) => {
    await open()
    chmodSync(file(), mode)
    await expect(open()).rejects.toThrow('chmod 600')
  })

  it('is rejected when it is a symbolic link', async () => {
    writeFileSync(path.join(folder, 'other'), '{}', { mode: 0o600 })
    symlinkSync(path.join(folder, 'other'), file())
    await expect(open()).rejects.toThrow('cannot be read')
  })

  it('is rejected when it is damaged, with a message that contains no secret', async () => {
    await open()
    const text = readFileSync(file(), 'utf8')
    const good = JSON.parse(text)
    const damaged: [unknown, string][] = [
      ['', 'not a JSON object'],
      [text.slice(0, -20), 'not a JSON object'],
      ['null', 'not a JSON object'],
      [{ ...good, version: 2 }, 'version'],
      [{ ...good, generations: [] }, 'it contains no current generation of keys'],
      [{ ...good, generations: 'x' }, 'generations must be an array'],
      [{ ...good, generations: [null] }, 'generations.0'],
      [{ ...good, next: { ...good.next, ed25519: 'x' } }, 'next.ed25519'],
      [{ ...good, source_key: good.source_key.slice(1) }, 'source_key'],
      [{ ...good, data_keys: 'x' }, 'data_keys must be an array'],
      [{ ...good, data_keys: ['x'] }, 'data_keys.0'],
      [{ ...good, fingerprint_pepper: 5 }, 'fingerprint_pepper'],
      [{ ...good, watermark_root: undefined }, 'watermark_root'],
    ]
    for (const [content, words] of damaged) {
      write(content)
      const failure = await open().catch((error: Error) => error.message)
      expect(failure).toContain('is damaged')
      expect(failure).toContain(words)
      for (const secret of [good.source_key, good.generations[0].x25519])
        expect(failure).not.toContain(secret.slice(1, 20))
      expect(readFileSync(file(), 'utf8')).toBe(
        typeof content === 'string' ? content : JSON.stringify(content),
      )
    }
  })
})
