// Tests the library for script hubs on every host: the results of a check, and responses that it must reject.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DENIALS, type DenialReason, denial } from '../src/messages.ts'
import { ed25519Pair } from '../src/wire.ts'
import { LibraryPeer, ST, VALID } from './library-peer.ts'
import { HOSTS, LUAU_READER, linesOf, READER } from './run-library.ts'

const peer = new LibraryPeer()
beforeAll(() => peer.listen())
afterAll(() => peer.close())
beforeEach(() => peer.reset())

const on = (host: string, lines: string, before = '') =>
  linesOf({ host, library: peer.library(), lines, before })
const denied = (reason: DenialReason, more: object = {}) => ({
  ...{
    success: false,
    features: null,
    details: null,
    retry_after: null,
    link: null,
    get_key: null,
    typo: false,
  },
  ...denial(reason),
  ...more,
})

const NAMES: Readonly<Partial<Record<DenialReason, string>>> = {
  invalid_key: 'KEY_INCORRECT',
  key_expired: 'KEY_EXPIRED',
  blacklisted: 'KEY_BANNED',
  fingerprint_mismatch: 'KEY_HWID_LOCKED',
  fingerprint_missing: 'INVALID_EXECUTOR',
  fingerprint_ambiguous: 'INVALID_EXECUTOR',
}

describe.each(HOSTS)('a check on %s', (host) => {
  test('of a valid key returns its attributes in one request', async () => {
    peer.decide = ({ key }) => ({ ...VALID, key_expires: key === 'ends' ? ST + 90_500 : null })
    const shown = `show(r.ok, r.code, r.reason, r.name, r.message, r.plan, r.features, r.note, r.executions, r.vars)
      show(r.expires, r.seconds_left, r.retry_in, r.link)`
    const lines = await on(host, `local r = ward.check(' KEY 1 ') ${shown} r = ward.check('ends') ${shown}`)
    const valid =
      'true | 0 | valid | KEY_VALID | This key is valid. | Pro | {turbo=true} | for Ä | 7 | {motd=hello}'
    expect(lines).toEqual([valid, 'nil | inf | nil | nil', valid, '1790000090 | 90 | nil | nil'])
    expect(peer.requests).toEqual(['POST /library/check', 'POST /library/check'])
    const [first, second] = peer.checks
    expect(first).toMatchObject({
      project_id: 'prj_test',
      key: 'KEY 1',
      nonce: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect(second?.nonce).not.toBe(first?.nonce)
    expect(second?.fp).toEqual(first?.fp)
  })

  test("tells the host's language", async () => {
    const before =
      "os = setmetatable({ getenv = function(name) if name == 'LANG' then return 'ru_RU' end end }, { __index = os })"
    await on(host, "ward.check('K')", before)
    expect(peer.checks[0]?.lang).toBe('ru')
  })

  test('has the name that other services use for each denial', async () => {
    const reasons = Object.keys(DENIALS) as DenialReason[]
    peer.decide = ({ key }) => denied(key as DenialReason)
    const asks = reasons.map((reason) => `r = ward.check('${reason}') show(r.ok, r.code, r.reason, r.name)`)
    const expected = reasons.map(
      (reason) => `false | ${DENIALS[reason].code} | ${reason} | ${NAMES[reason] ?? 'KEY_DENIED'}`,
    )
    expect(await on(host, `local r ${asks.join(' ')}`)).toEqual(expected)
  })

  test('includes the message, the link and the time to wait', async () => {
    const link = { text: 'Your key', url: 'https://ward.example.com/me' }
    const details = { can_reset: false, reset_available_at: ST + 61_000 }
    peer.decide = ({ key }) => {
      if (key === 'typo') return denied('invalid_key', { typo: true })
      if (key === 'limit') return denied('rate_limited', { retry_after: 6 })
      return denied('fingerprint_mismatch', { message: 'Wait.', link, details })
    }
    const lines = await on(
      host,
      `local r = ward.check('other') show(r.message, r.retry_in, r.link)
      show(ward.check('limit').retry_in, ward.check('typo').name)`,
    )
    expect(lines).toEqual(['Wait. | 61 | {text=Your key url=https://ward.example.com/me}', '6 | KEY_INVALID'])
  })

  test('accepts only an answer that the server signed for this request', async () => {
    const thief = ed25519Pair(randomBytes(32))
    let old = ''
    let other = ''
    const hostile: Readonly<Record<string, (body: string) => string>> = {
      first: (body) => {
        old = peer.sign(VALID, body)
        return old
      },
      first_again: () => old,
      changed: (body) => peer.sign(denied('key_expired'), body).replace('"success":false', '"success":true'),
      added: (body) => peer.sign(denied('key_expired'), body).replace(/}$/, ',"success":true}'),
      inserted: (body) => peer.sign(denied('key_expired'), body).replace(',"sig"', ',"success":true,"sig"'),
      cut: (body) => peer.sign(VALID, body).slice(0, -20),
      unsigned: (body) => peer.sign(VALID, body).replace(/,"sig":"[^"]*"/, ''),
      foreign: (body) => peer.sign(VALID, body, thief),
      remembered: (body) => {
        other = peer.sign(VALID, body)
        return 'no answer yet'
      },
      another_key: () => other,
      html: () => '<html><body>Log in to the network</body></html>',
      empty: () => '',
      list: () => '[]',
      null: () => 'null',
    }
    peer.decide = ({ key }, body) => hostile[key]?.(body) ?? ''
    const keys = Object.keys(hostile)
    const asks = keys.map((key) => `r = ward.check('${key}') show(r.ok, r.code, r.reason, r.name)`)
    const [first, ...others] = await on(host, `local r ${asks.join(' ')}`)
    expect(first).toBe('true | 0 | valid | KEY_VALID')
    expect(others).toEqual(keys.slice(1).map(() => 'false | -1 | forged | CHECK_FAILED'))
  })

  test('of a value that cannot be a key sends nothing', async () => {
    const values = [
      'nil',
      '12345678',
      'true',
      '{}',
      '""',
      '"  "',
      '"a\\nb"',
      '"\\0"',
      '"kéy"',
      '("x"):rep(513)',
    ]
    const asks = values.map((value) => `r = ward.check(${value}) show(r.ok, r.code, r.name, type(r.message))`)
    const lines = await on(host, `local r ${asks.join(' ')} ward.check([[ "quoted\\" ]])`)
    expect(lines).toEqual(values.map(() => 'false | 10 | KEY_INVALID | string'))
    expect(peer.checks.map(({ key }) => key)).toEqual(['"quoted\\"'])
  })

  test('without a decision says why, and never denies', async () => {
    const refused: Readonly<Record<string, { status: number; text: string }>> = {
      missing: { status: 404, text: '{"success":false,"error":{"type":"not_found"}}' },
      hidden: { status: 200, text: '{"success":false,"error":{"type":"not_found"}}' },
      flood: { status: 429, text: '{"success":false,"error":{"type":"rate_limited","retry_after":3}}' },
      odd: { status: 418, text: 'no' },
      broken: { status: 503, text: 'down' },
    }
    peer.decide = ({ key }) => refused[key] ?? ''
    const shown = 'show(r.ok, r.code, r.reason, r.name, r.message, r.retry_in)'
    const asks = Object.keys(refused).map((key) => `r = ward.check('${key}') ${shown}`)
    const none = `ward.project = nil r = ward.check('K') ${shown} ward.project = 'a/b' r = ward.check('K') ${shown}`
    const missing = 'This project does not exist, or its author has not allowed key checks. | nil'
    const unset = 'Set ward.project to the ID of your project, such as "prj_...". | nil'
    const lines = await on(host, `local r ${asks.join(' ')} ${none}`)
    expect(lines.map((line) => line.replace('false | -1 | ', ''))).toEqual([
      `refused | CHECK_FAILED | ${missing}`,
      `refused | CHECK_FAILED | ${missing}`,
      'refused | CHECK_FAILED | Too many requests from your network. Try again later. | 3',
      'refused | CHECK_FAILED | The server refused the check (HTTP 418). | nil',
      'unreachable | CHECK_FAILED | The server cannot be reached (HTTP 503). | nil',
      `refused | CHECK_FAILED | ${unset}`,
      `refused | CHECK_FAILED | ${unset}`,
    ])
  })

  test('is unreachable without a network', async () => {
    const library = peer.library(['http://127.0.0.1:1'])
    const [line] = await linesOf({
      host,
      library,
      lines: `local r = ward.check('K') show(r.ok, r.reason, r.message)`,
    })
    expect(line).toMatch(/^false \| unreachable \| The server cannot be reached \(/)
  })
})

describe('on a host that can only send GET requests', () => {
  test.each([
    ['lua5.1', READER],
    ['luajit', READER],
    ['luau', LUAU_READER],
  ])('a check travels in the URL, in %s', async (host, before) => {
    expect(await on(host, `show(ward.check('KEY-1').name)`, before)).toEqual(['KEY_VALID'])
    expect(peer.requests).toEqual([expect.stringMatching(/^GET \/library\/check\?b=[\w-]+$/)])
  })

  test.each([
    ['throws', 'error({})', 'unreachable'],
    ['returns nil', 'return nil', 'unreachable'],
    ['returns a number', 'return 7', 'unreachable'],
    ['returns an empty text', 'return ""', 'forged'],
    ['returns a page', 'return "<html></html>"', 'forged'],
    ['cuts the answer', 'return get(game, url):sub(1, -40)', 'forged'],
    ['returns the first answer again', 'kept = kept or get(game, url) return kept', 'forged'],
    ['throws with a status', 'error("HTTP 404 (Not Found)")', 'refused'],
  ])('a check fails if HttpGet %s', async (_, body, reason) => {
    const before = `${READER} local get, kept = game.HttpGet function game.HttpGet(_, url) ${body} end`
    const lines = `ward.check('K') local r = ward.check('K') show(r.ok, r.code, r.reason)`
    expect(await on('lua5.1', lines, before)).toEqual([`false | -1 | ${reason}`])
  })
})
