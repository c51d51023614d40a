/** Files encrypted by earlier versions and other programs can be decrypted. Modified files can't. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Decrypter, Encrypter } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { type AgeKeys, type AgeSeal, ageDecrypted, ageEncrypted, makeAgeKeys } from './age.ts'

const pair = makeAgeKeys()
const passphrase = 'seven green bottles'
const SIZES = [0, 1, 65_535, 65_536, 65_537, 200_000]

/** This file was encrypted before Scriptward used the library. */
const OLD_KEY = 'AGE-SECRET-KEY-1SKDAMX74EY37XPWNSDZP26GQZDD0ZF8K43YU4RASUG9ESC3FVG6QU9KKW6'
const OLD_FILE =
  'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBxWm04YWJlMWZvMm50N015WVBrOXNSWGI0WVYzbUpuREc0ZHhuVkQr' +
  'M0JjClZQRkJCcU9xTWUyNEF6TW1ydUFwcXd1ZEJFUTlOMUZvd1hGcVlIeGJIWE0KLS0tIHI3dnpRMnQyaVFMTElLYmFtZWlD' +
  'cHZldTVod3hnZ01Ebk9Od3lmYzZpUzgKd/Zhc2XuxCzvsTq1Nzekr8mIvVZxkyP32gtbbhjpfCOd8kuGAcMA0x1z6UyifA=='
const OLD_FILE_WITH_PASSPHRASE =
  'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBiSnE5VGhINkZlNEwweEVqaFZzN0lnIDE4Cml6MXllYnB1cWhGcEtF' +
  'cnlLaUtkcUhTbUFHL1l2SmRCSzA1bUlxSWN3VDgKLS0tIFoxM2tzK1A4cjN0RzBUak1EK2FvM1Y1a29RQ1EraG1xaXo0ei9H' +
  'aGc3OHcKZrxszZkn5sJxeyKDlBQdj95M6KiDtFoDCD3mXW1ISzj47GDY3hVKvU/KnXjoxQ=='

const inParts = async function* (bytes: Buffer, size = 10_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const seal = (bytes: Buffer, how: AgeSeal) => buffer(ageEncrypted(inParts(bytes), how))
const open = (file: Buffer, keys: AgeKeys) => buffer(ageDecrypted(inParts(file), keys))

describe('an encrypted file', () => {
  it('of any size opens with its private key and with the age library', async () => {
    for (const size of SIZES) {
      const content = randomBytes(size)
      const file = await seal(content, pair)
      expect(await open(file, pair)).toEqual(content)
      const other = new Decrypter()
      other.addIdentity(pair.privateKey)
      expect(Buffer.from(await other.decrypt(file))).toEqual(content)
    }
  })

  it('created by the age library opens here', async () => {
    const other = new Encrypter()
    other.addRecipient(pair.publicKey)
    const content = randomBytes(100_000)
    expect(await open(Buffer.from(await other.encrypt(content)), pair)).toEqual(content)
    const quick = new Encrypter()
    quick.setPassphrase(passphrase)
    quick.setScryptWorkFactor(10)
    expect(await open(Buffer.from(await quick.encrypt(content)), { passphrase })).toEqual(content)
  })

  it('of an earlier version opens', async () => {
    const opened = [
      await open(Buffer.from(OLD_FILE, 'base64'), { privateKey: OLD_KEY }),
      await open(Buffer.from(OLD_FILE_WITH_PASSPHRASE, 'base64'), { passphrase }),
    ]
    expect(opened.map(String)).toEqual(['kept since 0.1', 'kept since 0.1'])
  })

  it('is read only up to the maximum header length', async () => {
    let read = 0
    const endless = async function* () {
      yield Buffer.from('age-encryption.org/v1\n-> X25519 ')
      for (;;) {
        read += 1024
        yield Buffer.alloc(1024, 'a')
      }
    }
    await expect(buffer(ageDecrypted(endless(), pair))).rejects.toThrow('damaged')
    expect(read).toBeLessThan(100_000)
  })

  it('that cannot be read is not reported as damaged', async () => {
    const file = await seal(randomBytes(200_000), pair)
    const failing = async function* () {
      yield file.subarray(0, 100_000)
      throw Object.assign(new Error('i/o error'), { code: 'EIO' })
    }
    await expect(buffer(ageDecrypted(failing(), pair))).rejects.toThrow('i/o error')
  })

  it('opens with its passphrase and no other', async () => {
    const content = randomBytes(1000)
    const file = await seal(content, { passphrase })
    expect(await open(file, { passphrase })).toEqual(content)
    await expect(open(file, { passphrase: 'eight' })).rejects.toThrow('the passphrase is wrong')
    await expect(open(file, pair)).rejects.toThrow('encrypted with a passphrase')
  })

  it('does not open with another key, or when truncated, modified, extended or reordered', async () => {
    const file = await seal(randomBytes(200_000), pair)
    await expect(open(file, makeAgeKeys())).rejects.toThrow('does not match')
    await expect(open(file, { passphrase })).rejects.toThrow('encrypted for a public key')
    const start = file.indexOf('\n--- ') + 50
    const chunk = 65_536 + 16
    const swapped = Buffer.concat([
      file.subarray(0, start),
      file.subarray(start + chunk, start + 2 * chunk),
      file.subarray(start, start + chunk),
      file.subarray(start + 2 * chunk),
    ])
    const cuts = [10, start - 10, start + 5, start + chunk, file.length - 1].map((end) =>
      file.subarray(0, end),
    )
    const changes = [30, start + 8, start + chunk + 100, file.length - 1].map((at) => {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ 1
      return changed
    })
    for (const bad of [...cuts, ...changes, swapped, Buffer.concat([file, Buffer.from('x')])])
      await expect(open(bad, pair)).rejects.toThrow(/damaged|does not match/)
  })
})
