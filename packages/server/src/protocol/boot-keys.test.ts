/** Boot IDs are authentic, expire and are single-use, across all rotations of the daily secrets. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BootKeys } from './boot-keys.ts'
import { ownBootStore } from './boot-store.ts'

/** Midnight at the start of a day. */
const START = 11_574 * 86_400_000
const HOUR = 3_600_000

const newKeys = () => new BootKeys(randomBytes, ownBootStore(randomBytes), START)

async function accepted(keys: BootKeys, boot: Buffer, now: number) {
  const checked = await keys.checkBoot(boot, now)
  if (typeof checked === 'string') throw new Error(checked)
  return checked
}

describe('the store of boot keys', () => {
  it('accepts its own IDs until they expire, with the key pair they were issued with', async () => {
    const keys = newKeys()
    const { id, ephemeral, expires } = await keys.issueBoot('scr_1', START)
    expect(expires).toBe(START + 120_000)
    expect((await accepted(keys, id, expires - 1)).ephemeral.publicKey).toEqual(ephemeral.publicKey)
    expect(await keys.checkBoot(id, expires)).toBe('boot_expired')
  })

  it('rejects IDs of another process, modified IDs and truncated IDs', async () => {
    const keys = newKeys()
    const { id } = await keys.issueBoot('scr_1', START)
    expect(await newKeys().checkBoot(id, START)).toBe('boot_invalid')
    expect(await keys.checkBoot(id.subarray(1), START)).toBe('boot_invalid')
    for (let i = 0; i < id.length; i++) {
      const changed = Buffer.from(id)
      changed[i] = (changed[i] ?? 0) ^ 1
      expect(await keys.checkBoot(changed, START)).toBe('boot_invalid')
    }
  })

  it('accepts an ID once and remembers it for as long as it could be reused', async () => {
    const keys = newKeys()
    for (let now = START; now < START + 600_000; now += 37_000) {
      const { id, expires } = await keys.issueBoot('scr_1', now)
      const boot = await accepted(keys, id, now)
      expect([await keys.spendBoot(boot, 'digest'), await keys.spendBoot(boot, 'digest')]).toEqual([
        'spent',
        'boot_reused',
      ])
      for (const later of [now, now + 60_000, expires - 1])
        expect(await keys.checkBoot(id, later)).toBe('boot_reused')
    }
  })

  it('revives no expired ID when the clock is set back', async () => {
    const keys = newKeys()
    const { id } = await keys.issueBoot('scr_1', START)
    await keys.spendBoot(await accepted(keys, id, START), 'digest')
    await keys.issueBoot('scr_1', START + 500_000)
    await keys.issueBoot('scr_1', START + 1_000_000)
    expect(await keys.checkBoot(id, START)).toBe('boot_expired')
  })

  it("accepts the previous day's IDs for their remaining lifetime", async () => {
    const keys = newKeys()
    const { id } = await keys.issueBoot('scr_1', START + 24 * HOUR - 1)
    const { id: next } = await keys.issueBoot('scr_1', START + 24 * HOUR)
    await accepted(keys, id, START + 24 * HOUR + 60_000)
    await accepted(keys, next, START + 24 * HOUR + 60_000)
    expect(await keys.checkBoot(id, START + 24 * HOUR + 300_000)).toBe('boot_invalid')
  })

  it('rejects an ID that it cannot remember as used', async () => {
    const keys = newKeys()
    const { id } = await keys.issueBoot('scr_1', START)
    const boot = await accepted(keys, id, START)
    for (let i = 0; i < 200_000; i++) await keys.spendBoot({ ...boot, nonce: `${i}` }, 'digest')
    expect(await keys.spendBoot(boot, 'digest')).toBe('full')
    await keys.issueBoot('scr_1', START + 120_000)
    await keys.issueBoot('scr_1', START + 240_000)
    expect(await keys.spendBoot(boot, 'digest')).toBe('spent')
  })
})
