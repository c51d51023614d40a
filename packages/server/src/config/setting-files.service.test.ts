/** Settings from files: `.env`, one file per secret, and a separate location for the keyring. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programOf } from '../../test/programs.ts'
import { start } from '../start.ts'
import { describeConfig, readConfig } from './config.ts'
import { environmentIn } from './files.ts'
import { allVariables } from './variables.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-files-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function complaints(settings: Readonly<Record<string, string>>): string {
  try {
    readConfig(settings)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const expectFault = (settings: Readonly<Record<string, string>>, fault: RegExp) =>
  expect(complaints(settings)).toMatch(fault)

describe('a secret in a file', () => {
  const DATABASE = 'SCRIPTWARD_DATABASE_URL_FILE'
  const fileWith = (text: string): string => {
    const file = path.join(folder, `secret-${randomBytes(4).toString('hex')}`)
    writeFileSync(file, text)
    return file
  }

  test('is read, without the line end that editors add', () => {
    const settings = {
      SCRIPTWARD_ADMIN_KEY_FILE: fileWith('a-key-of-some-length\n'),
      SCRIPTWARD_SMTP_URL_FILE: fileWith('smtps://me:secret@mail.example.org\r\n'),
      SCRIPTWARD_MAIL_FROM: 'keys@example.com',
      SCRIPTWARD_SIGN_UP: 'open',
    }
    expect(readConfig(settings)).toMatchObject({
      adminKey: 'a-key-of-some-length',
      mail: { url: 'smtps://me:secret@mail.example.org' },
    })
  })

  test('is read without the byte order mark that editors on Windows add', () => {
    const file = fileWith('\ufeffa-key-of-some-length\r\n')
    expect(readConfig({ SCRIPTWARD_ADMIN_KEY_FILE: file })).toMatchObject({
      adminKey: 'a-key-of-some-length',
    })
    expectFault({ [DATABASE]: fileWith('\ufeff\n') }, /is empty: write the value of SCRIPTWARD_DATABASE_URL/)
  })

  test('is rejected with its name and the fix, without quoting it', () => {
    const missing = path.join(folder, 'no-such-secret')
    expectFault({ [DATABASE]: missing }, /^SCRIPTWARD_DATABASE_URL_FILE: .*no-such-secret does not exist: /)
    expectFault({ [DATABASE]: folder }, /^SCRIPTWARD_DATABASE_URL_FILE: .* is a directory: /)
    expectFault({ [DATABASE]: fileWith('\n') }, /is empty: write the value of SCRIPTWARD_DATABASE_URL to/)
    const both = { [DATABASE]: missing, SCRIPTWARD_DATABASE_URL: 'postgres://me:hidden@127.0.0.1/x' }
    expectFault(both, /^SCRIPTWARD_DATABASE_URL and SCRIPTWARD_DATABASE_URL_FILE are both set: remove/)
    const said = complaints({ [DATABASE]: fileWith('mysql://root:hidden@127.0.0.1/x') })
    expect(said).toMatch(/^SCRIPTWARD_DATABASE_URL in .*secret-.* must be a postgres:\/\/ URL, not mysql:/)
    expect(said).not.toContain('hidden')
  })

  test('works for every secret, and the keyring may have its own location', async () => {
    const secrets = allVariables.filter((one) => 'secret' in one).map(({ name }) => `${name}_FILE`)
    const captcha = 'https://captcha.example'
    const refused = complaints({
      SCRIPTWARD_ADS_CAPTCHA: 'external',
      SCRIPTWARD_ADS_CAPTCHA_PAGE: captcha,
      SCRIPTWARD_ADS_CAPTCHA_URL: captcha,
      ...Object.fromEntries(secrets.map((name) => [name, '/no/such/file'])),
    })
    const named = refused.split('\n').map((line) => line.split(':')[0])
    expect(named.sort()).toEqual(secrets.sort())
    const keyring = path.join(folder, 'elsewhere', 'keyring')
    const settings = {
      SCRIPTWARD_PORT: '0',
      SCRIPTWARD_DATA_DIR: path.join(folder, 'without-keyring'),
      SCRIPTWARD_KEYRING_FILE: keyring,
    }
    const log = pino({ level: 'silent' })
    const running = await start(readConfig(settings), { now: Date.now, random: randomBytes, log })
    await running.close()
    expect(existsSync(keyring)).toBe(true)
    expect(readdirSync(path.join(folder, 'without-keyring'))).not.toContain('keyring.json')
  })
})

test('.env of the working directory is read, and the environment takes precedence', () => {
  const home = mkdtempSync(path.join(folder, 'env-'))
  writeFileSync(path.join(home, '.env'), 'SCRIPTWARD_PORT=1234\nSCRIPTWARD_HOST="127.0.0.2" # ours\n')
  const env = { PATH: process.env.PATH, SCRIPTWARD_PORT: '4321' }
  const shown = execFileSync(process.execPath, [programOf('service'), 'config'], {
    cwd: home,
    env,
    encoding: 'utf8',
  })
  expect(shown).toContain('SCRIPTWARD_PORT=4321\n')
  expect(shown).toContain('SCRIPTWARD_HOST=127.0.0.2\n')
})

test.each([
  ['SCRIPTWARD_PORT=1\nSCRIPTWARD_HOST 127.0.0.2\n', 2],
  ['a word\n', 1],
  ["A='one\ntwo'\nB: 3\r\n", 3],
  ['A="never ends\nB\n', 2],
])('.env with a line that is not NAME=value is rejected with the line number: %j', (text, line) => {
  const home = mkdtempSync(path.join(folder, 'env-'))
  writeFileSync(path.join(home, '.env'), text)
  expect(() => environmentIn(home, {})).toThrow(
    `${path.join(home, '.env')}: line ${line} is not in the form NAME=value: correct it, or start it with # to comment it out`,
  )
})

test('.env may begin with the byte order mark that editors on Windows add', () => {
  const home = mkdtempSync(path.join(folder, 'env-'))
  writeFileSync(path.join(home, '.env'), '\ufeffSCRIPTWARD_PORT=1234\r\nSCRIPTWARD_HOST=::\r\n')
  expect(readConfig(environmentIn(home, {}))).toMatchObject({ port: 1234, host: '::' })
})

test('an empty setting is shown with the default that applies', () => {
  expect(describeConfig({ SCRIPTWARD_PORT: '' })).toMatch(/^SCRIPTWARD_PORT=8080$/m)
})

test('.env may contain comments, empty lines, exports and multi-line values', () => {
  const home = mkdtempSync(path.join(folder, 'env-'))
  const text = '# ours\n\n  export A=1 # one\r\nB = "x\ny z\n"\nC=`a\nb`\nD=it\'s\nE=\n'
  writeFileSync(path.join(home, '.env'), text)
  expect(environmentIn(home, { A: '2' })).toMatchObject({
    A: '2',
    B: 'x\ny z\n',
    C: 'a\nb',
    D: "it's",
    E: '',
  })
})
