/**
 * Each invalid setting is reported with the error and the fix. The server and the doctor report the same
 * messages.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { startValkey } from '../../test/processes/valkey-server.ts'
import { examine } from '../cli/doctor.ts'
import { type Running, start } from '../start.ts'
import { readConfig } from './config.ts'
import { allVariables } from './variables.ts'

type Settings = Readonly<Record<string, string>>

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const startOn = (settings: Settings): Promise<Running> =>
  start(readConfig(settings), { now: Date.now, random: randomBytes, log: pino({ level: 'silent' }) })

/** The startup error, and the errors that the doctor reports. */
async function complaints(settings: Settings): Promise<{ start: string; doctor: string[] }> {
  const here = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'data'), ...settings }
  const message = await (async () => startOn(here))().then(
    (running) => running.close().then(() => 'started'),
    (error: Error) => error.message,
  )
  const found = await examine(here)
  return {
    start: message,
    doctor: found.flatMap(({ state, text }) => (state === 'wrong' && text !== undefined ? [text] : [])),
  }
}

async function expectFault(settings: Settings, fault: RegExp): Promise<void> {
  const said = await complaints(settings)
  expect(said.start).toMatch(fault)
  expect(said.doctor).toContain(said.start)
}

const WHOLE = /must be a whole number from/
const WEB = /must be an http or https URL such as https:/
const NO_PATH = /must not have a path, but is ".*": set it to https:\/\/ward\.example\.org/
const HOSTS = /must be a comma-separated list of hosts such as example.com, without a scheme or path/
const HEADERS = /must be a comma-separated list of headers with percent-encoded values/
const FACTOR = /must be a number such as 0, 0.5 or 2/

test.each<[name: string, value: string, fault: RegExp]>([
  ['SCRIPTWARD_PORT', 'eighty', WHOLE],
  ['SCRIPTWARD_PORT', '80.5', WHOLE],
  ['SCRIPTWARD_PORT', '65536', /from 0 to 65535, not "65536"/],
  ['SCRIPTWARD_HOST', 'http://0.0.0.0', /must be an IP address or a host name/],
  ['SCRIPTWARD_HOST', '0.0.0.0:8080', /without a scheme, brackets or a port/],
  ['SCRIPTWARD_HOST', '[::]', /without a scheme, brackets or a port/],
  ['SCRIPTWARD_DATABASE_URL', 'mysql://root:hidden@localhost/x', /must be a postgres:\/\/ URL, not mysql:/],
  ['SCRIPTWARD_DATABASE_URL', 'scriptward.db', /leave it empty for SQLite/],
  ['SCRIPTWARD_DATABASE_URL', 'postgres://u:hid#den@localhost/x', /percent-encode special characters/],
  ['SCRIPTWARD_DATABASE_URL', 'postgres://u:h@hidden#1@localhost/x', /percent-encode special characters/],
  ['SCRIPTWARD_VALKEY_URL', '127.0.0.1:6379', /must be a redis:\/\/ or rediss:\/\/ URL/],
  ['SCRIPTWARD_VALKEY_URL', 'http://:hidden@127.0.0.1', /must be a redis:\/\/ or rediss:\/\/ URL/],
  ['SCRIPTWARD_SQLITE_CACHE_MB', '64MB', WHOLE],
  ['SCRIPTWARD_BASE_URL', 'ward.example.org', /write https:\/\/ward\.example\.org, or http:/],
  ['SCRIPTWARD_BASE_URL', 'ward.example.org:8080', /write https:\/\/ward\.example\.org:8080/],
  ['SCRIPTWARD_BASE_URL', 'ftp://ward.example.org', WEB],
  ['SCRIPTWARD_BASE_URL', '"https://ward.example.org"', /leave out the quotes/],
  ['SCRIPTWARD_BASE_URL', 'https://', WEB],
  ['SCRIPTWARD_BASE_URL', 'https://ward example.org', WEB],
  ['SCRIPTWARD_BASE_URL', 'https://ward.example.org/dashboard/', NO_PATH],
  ['SCRIPTWARD_BASE_URL', 'https://ward.example.org?x=1', NO_PATH],
  ['SCRIPTWARD_BASE_URL', 'https://me:hidden@ward.example.org', /must not contain a user or a password/],
  ['SCRIPTWARD_CLIENT_URL', 'https://a.example/client/v1, b.example', /not "b.example": write https:/],
  ['SCRIPTWARD_CLIENT_URL', 'https://a.example/client/v1?x', /must not have a query/],
  ['SCRIPTWARD_ADS_URL', 'ads.example.org', WEB],
  ['SCRIPTWARD_ADS_RATES', 'many', FACTOR],
  ['SCRIPTWARD_ADS_CAPTCHA', 'on', /must be one of off, pow, external/],
  ['SCRIPTWARD_ADS_CAPTCHA', 'external', /must be set while SCRIPTWARD_ADS_CAPTCHA is external/],
  ['SCRIPTWARD_ADS_CAPTCHA_PAGE', 'captcha.example', WEB],
  ['SCRIPTWARD_ADS_CAPTCHA_URL', 'captcha.example', WEB],
  ['SCRIPTWARD_ADMIN_KEY', 'short', /must be 16 to 256 printable ASCII characters/],
  ['SCRIPTWARD_ADMIN_KEY', 'hidden with a blank in between', /without spaces/],
  ['SCRIPTWARD_TRUST_PROXY', 'everyone', /must be a comma-separated list of your proxies' IP addresses/],
  ['SCRIPTWARD_TRUST_PROXY', 'true', /not "true"/],
  ['SCRIPTWARD_TRUST_PROXY', '127.0.0.1, 10.0.0.0/33', /not "10.0.0.0\/33"/],
  ['SCRIPTWARD_LOG_LEVEL', 'loud', /must be one of fatal, error/],
  ['SCRIPTWARD_LOG_FORMAT', 'pretty', /must be one of json, text/],
  ['SCRIPTWARD_OTLP_URL', '127.0.0.1:4318', WEB],
  ['SCRIPTWARD_OTLP_URL', 'http://127.0.0.1:4318/?x', /must not have a query/],
  ['SCRIPTWARD_OTLP_URL', 'http://me:hidden@127.0.0.1', /send them as a header/],
  ['SCRIPTWARD_OTLP_HEADERS', 'Bearer hidden', HEADERS],
  ['SCRIPTWARD_OTLP_HEADERS', 'authorization=hidden%0d%0a', HEADERS],
  ['SCRIPTWARD_BODY_LIMIT', '0', WHOLE],
  ['SCRIPTWARD_BODY_LIMIT', '1MB', WHOLE],
  ['SCRIPTWARD_SCRIPT_LIMIT', '99999999999', WHOLE],
  ['SCRIPTWARD_IMPORT_BODY_LIMIT', '-1', WHOLE],
  ['SCRIPTWARD_IMPORT_LIMIT', '1e5', WHOLE],
  ['SCRIPTWARD_GENERATE_LIMIT', '0', WHOLE],
  ['SCRIPTWARD_ACCOUNT_GRACE_MS', '3d', WHOLE],
  ['SCRIPTWARD_OBFUSCATION_THREADS', '65', WHOLE],
  ['SCRIPTWARD_OBFUSCATION_DEADLINE_MS', '3000000000', WHOLE],
  ['SCRIPTWARD_OBFUSCATION_MEMORY_MB', '1G', WHOLE],
  ['SCRIPTWARD_OBFUSCATION_QUEUE', 'long', WHOLE],
  ['SCRIPTWARD_SESSION_WAIT_MS', '60001', WHOLE],
  ['SCRIPTWARD_CLIENT_RATES', 'off', FACTOR],
  ['SCRIPTWARD_API_RATES', '-1', FACTOR],
  ['SCRIPTWARD_JOBS', 'yes', /must be one of true, false/],
  ['SCRIPTWARD_SMTP_URL', 'smtp.example.org', /must be an smtp:\/\/ or smtps:\/\/ URL/],
  ['SCRIPTWARD_SMTP_URL', 'https://me:hidden@mail.example.org', /must be an smtp:\/\/ or smtps:/],
  ['SCRIPTWARD_METRICS_TOKEN', 'hidden', /must be 16 to 256/],
  [
    'SCRIPTWARD_WEBHOOK_ALLOW_CIDR',
    '10.1.2.3',
    /must be a comma-separated list of networks such as 10.1.0.0\/16/,
  ],
  ['SCRIPTWARD_WEBHOOK_ALLOW_HTTP', '1', /must be one of true, false/],
  ['SCRIPTWARD_WEBHOOK_CHAT_HOSTS', 'https://discord.com', HOSTS],
  ['SCRIPTWARD_WEBHOOK_CHAT_HOSTS', 'discord.com:99999', /contains an invalid port/],
  ['SCRIPTWARD_WEBHOOK_SECRET', 'hidden', /must be 16 to 256/],
  ['SCRIPTWARD_BACKUP_PUBLIC_KEY', 'hidden', /must be an age public key \(age1…\)/],
  ['SCRIPTWARD_BACKUP_PUBLIC_KEY', 'age1hidden', /is mistyped or truncated: copy the full/],
  ['SCRIPTWARD_BACKUP_PUBLIC_KEY', 'AGE-SECRET-KEY-1HIDDEN', /is a private key: set it to the public key/],
  ['SCRIPTWARD_ADS_PROVIDER_A_URL', 'links.example', WEB],
  ['SCRIPTWARD_ADS_PROVIDER_A_HOSTS', 'https://links.example', HOSTS],
])('%s=%s is rejected with its name and the fix', async (name, value, fault) => {
  const said = await complaints({ [name]: value })
  expect(said.start).toMatch(fault)
  expect(said.start).toContain(name)
  expect(said.doctor).toEqual([said.start])
  expect(said.start).not.toContain('hidden')
})

test('a mail server without a sender is rejected', () =>
  expectFault({ SCRIPTWARD_SMTP_URL: 'smtp://127.0.0.1' }, /SCRIPTWARD_MAIL_FROM must be an email address/))

test('ad networks are on with their names and hosts, unless the operator turns them off or enters others', () => {
  const { adProviders } = readConfig({
    SCRIPTWARD_ADS_PROVIDER_A_URL: 'off',
    SCRIPTWARD_ADS_PROVIDER_B_URL: 'https://links.example.com',
  })
  expect(adProviders).toMatchObject({
    provider_a: { url: undefined, label: 'Linkvertise' },
    provider_b: { url: 'https://links.example.com', label: 'Provider B', hosts: [] },
    provider_c: { url: 'https://work.ink', label: 'Work.ink', hosts: ['work.ink', 'workink.net'] },
  })
})

test('all invalid settings are reported together', async () => {
  const wrong = { SCRIPTWARD_PORT: 'x', SCRIPTWARD_JOBS: 'x', SCRIPTWARD_BASE_URL: 'x' }
  const { start, doctor } = await complaints(wrong)
  expect(start.split('\n')).toEqual(doctor)
  expect(doctor).toHaveLength(3)
})

test('an unknown setting is reported together with an invalid one', async () => {
  const settings = { SCRIPTWARD_POTR: '1', SCRIPTWARD_JOBS: 'x' }
  const unknown = 'unknown setting SCRIPTWARD_POTR: did you mean SCRIPTWARD_PORT?'
  expect((await complaints(settings)).start.split('\n')).toEqual([
    'SCRIPTWARD_JOBS must be one of true, false, not "x"',
    unknown,
  ])
  expect(await examine(settings)).toContainEqual({ name: 'settings', state: 'warning', text: unknown })
})

test('docs/server.md lists every setting with its default', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/server.md'), 'utf8')
  const rows = allVariables.map((one) => {
    const star = 'secret' in one ? ' *' : ''
    return `| \`${one.name}\`${star} | ${one.fallback === '' ? '–' : `\`${one.fallback}\``} | `
  })
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('every setting accepts its default and an example of a valid value', () => {
  const right: Settings = {
    SCRIPTWARD_HOST: '::',
    SCRIPTWARD_DATABASE_URL: 'postgresql://u:p%23w@/db?host=/run/postgresql',
    SCRIPTWARD_VALKEY_URL: 'rediss://:p@valkey:6380/1',
    SCRIPTWARD_BASE_URL: 'https://ward.example.org:8443/',
    SCRIPTWARD_CLIENT_URL: 'https://a.example/client/v1,http://[::1]:8080/client/v1',
    SCRIPTWARD_ADS_URL: 'https://ads.example.org/keys/',
    SCRIPTWARD_ADS_RATES: '0.5',
    SCRIPTWARD_OTLP_URL: 'https://collector.example.org/otlp/',
    SCRIPTWARD_OTLP_HEADERS: 'Authorization=Bearer%20a=b, x-team=keys',
    SCRIPTWARD_TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::/8, 192.0.2.1',
    SCRIPTWARD_SMTP_URL: 'smtps://me:secret@mail.example.org',
    SCRIPTWARD_MAIL_FROM: 'Scriptward <keys@example.com>',
    SCRIPTWARD_WEBHOOK_CHAT_HOSTS: 'Chat.Example:8443,127.0.0.1',
    SCRIPTWARD_ADS_PROVIDER_A_URL: 'https://links.example.com/api?x=1',
    SCRIPTWARD_ADS_PROVIDER_A_HOSTS: '*.example.com,links.example.com',
  }
  const config = readConfig(right)
  expect(config).toMatchObject({
    baseUrl: 'https://ward.example.org:8443',
    adsUrl: 'https://ads.example.org/keys',
    webhookChatHosts: ['chat.example:8443', '127.0.0.1'],
    otlp: {
      url: 'https://collector.example.org/otlp',
      headers: { authorization: 'Bearer a=b', 'x-team': 'keys' },
    },
  })
  const defaults = allVariables.map(({ name, fallback }) => [name, fallback])
  expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}))
})

describe('the checks before a start', () => {
  const servers: Server[] = []
  /** Starts a server that sends this response, if given, on every connection. Returns the port. */
  const serve = async (answer: string | undefined): Promise<number> => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (answer !== undefined) socket.end(answer)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }
  afterAll(() => {
    for (const server of servers) server.close()
  })

  test('report a data folder that is a file', () => {
    const file = path.join(folder, 'a-file')
    writeFileSync(file, '')
    return expectFault(
      { SCRIPTWARD_DATA_DIR: file },
      /^SCRIPTWARD_DATA_DIR: .*a-file is a file, not a directory: /,
    )
  })

  test('report a data folder below a file', () => {
    writeFileSync(path.join(folder, 'b-file'), '')
    const below = path.join(folder, 'b-file', 'data')
    return expectFault(
      { SCRIPTWARD_DATA_DIR: below },
      /^SCRIPTWARD_DATA_DIR: .*b-file is a file, not a directory: /,
    )
  })

  test('report a data folder that is a broken symbolic link', () => {
    const link = path.join(folder, 'link')
    symlinkSync(path.join(folder, 'nowhere', 'data'), link)
    return expectFault(
      { SCRIPTWARD_DATA_DIR: link },
      /^SCRIPTWARD_DATA_DIR: .*link is a link to a directory that does not exist/,
    )
  })

  test.skipIf(process.getuid?.() === 0)('report a data folder that this user may not write to', () => {
    const locked = path.join(folder, 'locked')
    mkdirSync(locked, { mode: 0o500 })
    return expectFault({ SCRIPTWARD_DATA_DIR: locked }, /^SCRIPTWARD_DATA_DIR: .* is not writable \(EACCES\)/)
  })

  test('report a database file that is not one', () => {
    const data = path.join(folder, 'no-database')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(
      path.join(data, 'scriptward.db'),
      'a letter to a friend, which is no database at all\n'.repeat(100),
    )
    return expectFault(
      { SCRIPTWARD_DATA_DIR: data },
      /^SCRIPTWARD_DATA_DIR: .*scriptward\.db: file is not a database: /,
    )
  })

  test('report a PostgreSQL port where nothing listens', () =>
    expectFault(
      { SCRIPTWARD_DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' },
      /^SCRIPTWARD_DATABASE_URL: nothing is listening on 127.0.0.1:1: start PostgreSQL there, or correct host and port$/,
    ))

  test('report a PostgreSQL host that cannot be resolved', () =>
    expectFault(
      { SCRIPTWARD_DATABASE_URL: 'postgres://me:hidden@nowhere.invalid/x' },
      /^SCRIPTWARD_DATABASE_URL: the host name in nowhere.invalid cannot be resolved/,
    ))

  test('report a PostgreSQL server that never responds', async () => {
    const url = `postgres://me:hidden@127.0.0.1:${await serve(undefined)}/x`
    await expectFault(
      { SCRIPTWARD_DATABASE_URL: url },
      /^SCRIPTWARD_DATABASE_URL: no response from 127.0.0.1:\d+: /,
    )
  })

  test('report a web server in place of PostgreSQL', async () => {
    const url = `postgres://me:hidden@127.0.0.1:${await serve('HTTP/1.1 400 Bad Request\r\n\r\n')}/x`
    await expectFault({ SCRIPTWARD_DATABASE_URL: url }, /^SCRIPTWARD_DATABASE_URL: .*127.0.0.1:\d+.*: /)
  })

  test('report a database or user that does not exist in PostgreSQL', async () => {
    const own = new URL(inject('postgresUrl'))
    own.pathname = '/missing'
    await expectFault(
      { SCRIPTWARD_DATABASE_URL: own.href },
      /^SCRIPTWARD_DATABASE_URL: database "missing" does not exist: create it with createdb/,
    )
    own.username = 'stranger'
    await expectFault(
      { SCRIPTWARD_DATABASE_URL: own.href },
      /^SCRIPTWARD_DATABASE_URL: .*stranger.*: correct the user/,
    )
  })

  test('do not report a keyring error when the database is unreachable', async () => {
    const settings = {
      SCRIPTWARD_DATA_DIR: path.join(folder, 'none'),
      SCRIPTWARD_DATABASE_URL: 'postgres://me@127.0.0.1:1/x',
    }
    const states = (await examine(settings)).map(({ name, state }) => [name, state])
    expect(states).toContainEqual(['database', 'wrong'])
    expect(states).toContainEqual(['keyring', 'warning'])
  })

  test('report a Valkey port where nothing listens, that never responds, or that is a web server', async () => {
    const fault =
      /^SCRIPTWARD_VALKEY_URL: no response from 127.0.0.1:\d+ \(.*\): start Valkey there, or correct the URL$/
    for (const port of [1, await serve(undefined), await serve('HTTP/1.1 400 Bad Request\r\n\r\n')])
      await expectFault({ SCRIPTWARD_VALKEY_URL: `redis://:hidden@127.0.0.1:${port}` }, fault)
  })

  test('report a password that Valkey rejects', async () => {
    const valkey = await startValkey(['--requirepass', 'another'])
    try {
      for (const user of ['', ':hidden@'])
        await expectFault(
          { SCRIPTWARD_VALKEY_URL: valkey.url.replace('//', `//${user}`) },
          /^SCRIPTWARD_VALKEY_URL: 127.0.0.1:\d+ rejected the user or password /,
        )
    } finally {
      await valkey.remove()
    }
  })

  test('report a port in use by another program', async () => {
    const port = await serve(undefined)
    await expectFault(
      { SCRIPTWARD_PORT: String(port) },
      new RegExp(
        `^SCRIPTWARD_PORT: port ${port} on 127.0.0.1 is already in use: stop the other process, or choose another`,
      ),
    )
  })

  test('report a port in use by another Scriptward', async () => {
    const other = await startOn({ SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'other') })
    try {
      const { port } = new URL(other.url)
      await expectFault({ SCRIPTWARD_PORT: port }, /^SCRIPTWARD_PORT: port .* on 127.0.0.1 is already in use/)
    } finally {
      await other.close()
    }
  })

  test('report an IP address that this machine does not have', () =>
    expectFault(
      { SCRIPTWARD_HOST: '192.0.2.1' },
      /^SCRIPTWARD_HOST: this machine does not have the IP address 192.0.2.1/,
    ))

  test('report a host name that cannot be resolved', () =>
    expectFault(
      { SCRIPTWARD_HOST: 'nowhere.invalid' },
      /^SCRIPTWARD_HOST: the host name nowhere.invalid cannot be resolved/,
    ))
})

test('a start that fails because of its port creates no admin whose key would be lost', async () => {
  const data = path.join(folder, 'taken')
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const settings = { SCRIPTWARD_DATA_DIR: data, SCRIPTWARD_PORT: String(port) }
  await expect(startOn(settings)).rejects.toThrow('is already in use')
  blocker.close()
  const running = await startOn({ ...settings, SCRIPTWARD_PORT: '0' })
  expect(running.newApiKey).toMatch(/^sw_/)
  await running.close()
})

describe("in the doctor's report", () => {
  const warnings = async (settings: Settings) =>
    (await examine({ SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'data'), ...settings }))
      .filter(({ name, state }) => state === 'warning' && !['address', 'backup'].includes(name))
      .map(({ text }) => text)

  test('https without a trusted proxy causes a warning', async () => {
    const base = { SCRIPTWARD_BASE_URL: 'https://ward.example.org' }
    expect(await warnings(base)).toEqual([expect.stringMatching(/^SCRIPTWARD_TRUST_PROXY is empty although/)])
    expect(await warnings({ ...base, SCRIPTWARD_TRUST_PROXY: '127.0.0.1' })).toEqual([])
    expect(await warnings({ SCRIPTWARD_BASE_URL: 'http://ward.example.org' })).toEqual([])
  })

  test('a URL that only this machine can reach causes a warning', async () => {
    const address = async (settings: Settings) =>
      (
        await examine({
          SCRIPTWARD_PORT: '8123',
          SCRIPTWARD_DATA_DIR: path.join(folder, 'data'),
          ...settings,
        })
      ).find(({ name }) => name === 'address')
    for (const [settings, shown] of [
      [{}, 'http://127.0.0.1:8123'],
      [{ SCRIPTWARD_BASE_URL: 'http://localhost:8080' }, 'http://localhost:8080'],
    ] as const)
      expect(await address(settings)).toEqual({
        ...{ name: 'address', state: 'warning' },
        text: expect.stringContaining(`links in emails and loaders start with ${shown}`),
      })
    expect(await address({ SCRIPTWARD_BASE_URL: 'https://ward.example.org' })).toEqual({
      ...{ name: 'address', state: 'ok' },
      text: 'links start with https://ward.example.org',
    })
  })

  test('an unknown setting causes a warning', async () => {
    expect(await warnings({ SCRIPTWARD_PROT: '1' })).toEqual([
      'unknown setting SCRIPTWARD_PROT: did you mean SCRIPTWARD_PORT?',
    ])
    expect(await warnings({ SCRIPTWARD_NO_SUCH_THING: '1' })).toEqual([
      'unknown setting SCRIPTWARD_NO_SUCH_THING: `scriptward config` lists all settings',
    ])
  })

  test('a mail server that rejects mail causes a warning, and a working one does not', async () => {
    const from = { SCRIPTWARD_MAIL_FROM: 'keys@example.com' }
    expect(await warnings({ ...from, SCRIPTWARD_SMTP_URL: 'smtp://me:hidden@127.0.0.1:1' })).toEqual([
      'SCRIPTWARD_SMTP_URL: cannot send email through 127.0.0.1:1 (ESOCKET CONN): correct the host, port and scheme',
    ])
    const mails = await startMailServer()
    expect(await warnings({ ...from, SCRIPTWARD_SMTP_URL: mails.url })).toEqual([])
    await mails.close()
  })

  test('the running server does not cause an error about its own port', async () => {
    const settings = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: path.join(folder, 'running') }
    const running = await startOn(settings)
    try {
      const found = await examine({ ...settings, SCRIPTWARD_PORT: new URL(running.url).port })
      expect(found.filter(({ state }) => ['warning', 'wrong'].includes(state))).toMatchObject([
        { name: 'address', state: 'warning' },
        { name: 'backup', state: 'warning' },
      ])
      expect(found).toContainEqual({ name: 'port', state: 'ok', text: 'this server is running there' })
    } finally {
      await running.close()
    }
  })
})
