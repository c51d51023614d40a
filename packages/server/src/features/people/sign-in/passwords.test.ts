/** Rules for new passwords, password storage, and the queue for concurrent hashes. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Refused } from '../../../api/refusals.ts'
import { openLimits } from '../../../platform/limits/limits.ts'
import { browserName } from './browser-names.ts'
import { hashPassword, isPassword, passwordFault } from './passwords.ts'

const deps = () => ({ limits: openLimits(0, undefined), random: randomBytes })
const address = '203.0.113.1'

test('a new password must be long, uncommon, without a pattern, and different from the email address', async () => {
  const fault = (password: string) => passwordFault(password, 'Grace.Hopper@example.com')
  expect(await fault('elevenchars')).toMatch(/12 to 128 characters \(has 11/)
  expect(await fault('x'.repeat(129))).toMatch(/has 129/)
  expect(await fault('😀😁😂😃😄😅😆😇😈😉😊')).toMatch(/has 11/)
  expect(await fault('aaaaaaaaaaaaaaaa')).toMatch(/different characters/)
  expect(await fault('1Q2W3E4R5T6Y')).toMatch(/most common/)
  expect(await fault('I am grace.hopper!')).toMatch(/email/)
  expect(await fault('correct horse battery')).toBeUndefined()
  expect(await fault('пароль из слов')).toBeUndefined()
})

test('the stored value is a PHC string of argon2id with its own salt, which only the same password opens', async () => {
  const one = String(await hashPassword(deps(), 'café au lait, twice', address))
  const other = String(await hashPassword(deps(), 'café au lait, twice', address))
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(other).not.toBe(one)
  const opens = (password: string) => isPassword(deps(), one, { password, address })
  // The same word with a combining accent, as typed on another keyboard.
  expect(await opens('café au lait, twice'.normalize('NFD'))).toBe(true)
  expect(await opens('cafe au lait, twice')).toBe(false)
  expect(await isPassword(deps(), null, { password: '', address })).toBe(false)
})

test('a flood of hashes is rejected with a retry time, and one network does not block another', async () => {
  const crowd = deps()
  const flood = Array.from({ length: 30 }, () => hashPassword(crowd, 'correct horse battery', address))
  const other = hashPassword(crowd, 'correct horse battery', '192.0.2.1')
  const answers = await Promise.all(flood)
  const refused = answers.filter((one) => one instanceof Refused)
  expect(refused.length).toBeGreaterThan(15)
  expect(refused[0]).toMatchObject({ reason: 'rate_limited', members: { retry_after: 2 } })
  expect(typeof (await other)).toBe('string')
})

test('a browser is named by what it is, not by what it claims to resemble', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0'
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
  expect(browserName(edge)).toBe('Edge on Windows')
  expect(browserName(phone)).toBe('Safari on iPhone')
  expect(browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
    'Firefox on Linux',
  )
  expect(browserName('<script>')).toBe('Another program')
})
