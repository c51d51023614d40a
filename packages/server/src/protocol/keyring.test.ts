/** The keyring's file: made once, read again, and never used when it cannot be trusted. */
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
  const open = () => openKeyring(folder, randomBytes, true)
  const write = (content: unknown) =>
    writeFileSync(file(), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-keyring-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is made on the first start, readable by its owner alone, and leaves no draft', async () => {
    await open()
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
  })

  it('is the same at every start, and for processes that start together', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, open))
    rings.push(await open())
    expect(new Set(rings.map((one) => one.exchange.kid)).size).toBe(1)
    expect(new Set(rings.map((one) => one.sourceKey.toString('hex'))).size).toBe(1)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
  })

  it('tells public keys only', async () => {
    const ring = await open()
    const told = JSON.stringify(ring.publicKeys(0))
    const { generations } = JSON.parse(readFileSync(file(), 'utf8')) as {
      generations: Record<string, string>[]
    }
    expect(told).toContain(ring.exchange.kid)
    for (const secret of [generations[0]?.x25519, generations[0]?.ed25519]) expect(told).not.toContain(secret)
  })

  it('accepts a former generation until its end', async () => {
    await open()
    const content = JSON.parse(readFileSync(file(), 'utf8'))
    const former = {
      x25519: randomBytes(32).toString('base64url'),
      ed25519: randomBytes(32).toString('base64url'),
      not_after: 500,
    }
    write({ ...content, generations: [former, ...content.generations] })
    const ring = await open()
    const [kid = ''] = ring.publicKeys(499).keys.map((key) => key.kid)
    expect(ring.exchange.kid).not.toBe(kid)
    expect(ring.find(kid, 499)?.kid).toBe(kid)
    expect(ring.find(kid, 500)).toBeUndefined()
    expect(ring.publicKeys(500).keys).toHaveLength(1)
  })

  it('is not replaced, and nothing is written, where something needs the one that is missing', async () => {
    await expect(openKeyring(folder, randomBytes, false)).rejects.toThrow('keyring.json is missing although')
    await expect(rotateKeyring(folder, { random: randomBytes, now: 0 })).rejects.toThrow('is missing')
    expect(readdirSync(folder)).toEqual([])
  })

  it('gets another generation, and accepts the former one for a week', async () => {
    const before = await open()
    const rotate = (now: number) => rotateKeyring(folder, { random: randomBytes, now })
    const { keys } = await rotate(1000)
    const after = await open()
    expect(keys.map(({ kid }) => kid)).toEqual([before.exchange.kid, after.exchange.kid])
    expect(after.exchange.kid).not.toBe(before.exchange.kid)
    expect(after.find(before.exchange.kid, 1000 + WEEK_MS - 1)?.kid).toBe(before.exchange.kid)
    expect(after.find(before.exchange.kid, 1000 + WEEK_MS)).toBeUndefined()
    for (const name of ['sourceKey', 'fingerprintPepper', 'providerKey', 'watermarkRoot'] as const)
      expect(after[name]).toEqual(before[name])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
    expect((await rotate(2000 + WEEK_MS)).keys).toHaveLength(2)
  })

  it('pins what is to come, which the next rotation brings into use', async () => {
    const before = await open()
    const [now, next] = before.pins(0)
    expect(before.pins(0)).toHaveLength(2)
    expect(now?.kid).toBe(before.exchange.kid)
    await rotateKeyring(folder, { random: randomBytes, now: 1000 })
    const after = await open()
    expect(after.exchange.kid).toBe(next?.kid)
    expect(after.publicKeys(1000).keys.map(({ ed25519 }) => ed25519)).toEqual([now?.ed25519, next?.ed25519])
    const pinned = after.pins(1000).map(({ kid }) => kid)
    expect(pinned.slice(0, 2)).toEqual([now?.kid, next?.kid])
    expect(new Set(pinned).size).toBe(3)
  })

  it('of before there was a next generation gets one with its next rotation', async () => {
    await open()
    const { next: _, ...old } = JSON.parse(readFileSync(file(), 'utf8'))
    write(old)
    expect((await open()).pins(0)).toHaveLength(1)
    await rotateKeyring(folder, { random: randomBytes, now: 1000 })
    expect((await open()).pins(1000)).toHaveLength(3)
  })

  it('tells what webhooks are checked with: the key in use first, the former one for a week', async () => {
    const before = await open()
    expect(before.webhookKeys(0).map(({ id, notAfter }) => [id, notAfter])).toEqual([
      [before.webhookSigning.id, null],
    ])
    await rotateKeyring(folder, { random: randomBytes, now: 1000 })
    const after = await open()
    expect(after.webhookSigning.id).not.toBe(before.webhookSigning.id)
    const told = (now: number) => after.webhookKeys(now).map(({ id, notAfter }) => [id, notAfter])
    const end = 1000 + WEEK_MS
    expect(told(end - 1)).toEqual([
      [after.webhookSigning.id, null],
      [before.webhookSigning.id, end],
    ])
    expect(told(end)).toEqual([[after.webhookSigning.id, null]])
  })

  it('is never changed by two at the same time', async () => {
    await open()
    const rotations = Array.from({ length: 6 }, () => rotateKeyring(folder, { random: randomBytes, now: 1 }))
    const settled = await Promise.allSettled(rotations)
    const done = settled.filter(({ status }) => status === 'fulfilled').length
    expect(done).toBeGreaterThan(0)
    const { generations } = JSON.parse(readFileSync(file(), 'utf8')) as { generations: unknown[] }
    expect(generations).toHaveLength(done + 1)
    expect(readdirSync(folder)).toEqual(['keyring.json'])
    for (const one of settled)
      if (one.status === 'rejected') expect(String(one.reason)).toContain('try again')
  })

  it.each([0o640, 0o604, 0o660])('is refused with the mend when its mode is %o', async (mode) => {
    await open()
    chmodSync(file(), mode)
    await expect(open()).rejects.toThrow('chmod 600')
  })

  it('is refused when it is a link to somewhere else', async () => {
    writeFileSync(path.join(folder, 'other'), '{}', { mode: 0o600 })
    symlinkSync(path.join(folder, 'other'), file())
    await expect(open()).rejects.toThrow('cannot be read')
  })

  it('is refused when it is damaged, in words that hold no secret', async () => {
    await open()
    const text = readFileSync(file(), 'utf8')
    const good = JSON.parse(text)
    const damaged: [unknown, string][] = [
      ['', 'not a JSON object'],
      [text.slice(0, -20), 'not a JSON object'],
      ['null', 'not a JSON object'],
      [{ ...good, version: 2 }, 'version'],
      [{ ...good, generations: [] }, 'no generation is in use'],
      [{ ...good, generations: 'x' }, 'generations is not a list'],
      [{ ...good, generations: [null] }, 'generations.0'],
      [{ ...good, next: { ...good.next, ed25519: 'x' } }, 'next.ed25519'],
      [{ ...good, source_key: good.source_key.slice(1) }, 'source_key'],
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
