/**
 * Values for request fields, both valid and invalid according to their schema. Many values are chosen by
 * field name, which is more specific than the schema, so that requests get past validation.
 */
import fc from 'fast-check'
import { START } from '../harness.ts'
import { png } from '../images.ts'
import type { Schema } from './document.ts'

type Values = fc.Arbitrary<unknown>

/** A placeholder for a value that is known only while requests are sent. `world.ts` replaces it. */
export type Reference = { readonly noun: string; readonly of: 'own' | 'foreign'; readonly at: number }

const MARK = '@@'
function markOf({ noun, of, at }: Reference): string {
  return [MARK, noun, of, at, MARK].join(' ')
}
export function readMark(text: string): Reference | undefined {
  const [start, noun = '', of, at, end] = text.split(' ')
  if (start !== MARK || end !== MARK) return undefined
  return { noun, of: of === 'own' ? 'own' : 'foreign', at: Number(at) }
}

/** Refers to one of the caller's own resources, usually the latest. */
export function reference(noun: string): fc.Arbitrary<string> {
  const of = fc.oneof(
    { weight: 9, arbitrary: fc.constant('own' as const) },
    { weight: 1, arbitrary: fc.constant('foreign' as const) },
  )
  const at = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) })
  return fc.record({ noun: fc.constant(noun), of, at }).map(markOf)
}

/** Values that usually match the schema. */
export function valueFor(schema: Schema, name: string): Values {
  const hints = takesOnly(schema, 'boolean') ? undefined : hintsFor(name)
  const fitting = fittingValue(schema, name)
  return hints === undefined
    ? fitting
    : fc.oneof({ weight: 3, arbitrary: hints }, { weight: 2, arbitrary: fitting })
}

/** Returns whether the schema allows only this type, or this type and null. */
function takesOnly({ type }: Schema, wanted: string): boolean {
  return [type ?? []].flat().every((one) => one === wanted || one === 'null') && type !== undefined
}

function fittingValue(schema: Schema, name: string): Values {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueFor(one, name)))
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? anything : fc.oneof(...types.map((type) => ofType(type, schema, name)))
}

function ofType(type: string, schema: Schema, name: string): Values {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return wholeNumber(schema)
    case 'number':
      return fc.oneof(wholeNumber(schema), fc.double({ noNaN: true, min: schema.minimum ?? -1e9, max: 1e9 }))
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 8, 8),
      })
    case 'object':
      return membersFor(schema)
    default:
      return textFor(schema)
  }
}

function wholeNumber({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: Schema): Values {
  const least = Math.max(minimum, -2)
  const small = fc.integer({ min: least, max: Math.min(maximum, Math.max(least, 20)) })
  return fc.oneof(
    small,
    fc.maxSafeInteger().map(between(minimum, maximum)),
    fc.constantFrom(minimum, maximum),
  )
}

function between(minimum: number, maximum: number): (value: number) => number {
  return (value) => Math.min(maximum, Math.max(minimum, value))
}

function textFor({ minLength = 0, maxLength = 300 }: Schema): Values {
  const short = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 12), unit: 'grapheme' })
  const exact = fc.constantFrom('x', 'é', '𝒳').map((letter) => letter.repeat(Math.min(maxLength, 300)))
  return fc.oneof({ weight: 5, arbitrary: short }, { weight: 1, arbitrary: exact })
}

/** Generates every required field, and any number of the optional ones. */
export function membersFor({
  properties = {},
  required = [],
}: Schema): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, name)] as const)
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
}

const NOW = START
const DAY = 86_400_000
const times = fc.constantFrom(0, 1, NOW - 1, NOW, NOW + 1, NOW + DAY, 253_402_300_799_999)
/** Has only a few words, so that values collide. */
const words = fc.constantFrom('a', 'b', 'Aa', 'aa', 'z', '', '%', '_', 'ключ', ' “”', "'", '\\', '"')
const pages = fc.constantFrom(0, 1, 2, 1000, 2_147_483_647)

const goodSources = fc.constantFrom(
  'print(1)',
  'local t = {...} for i = 1, #t do print(t[i]) end return function(a, ...) return a, ... end',
  'local s = "é" .. [[long]] print(s, 1e3, 0x1F)',
  'local x: number = 1 type T = { a: string }',
  '-- nothing',
)
const badSources = fc.constantFrom(
  'print(',
  'goto a',
  '\u0000',
  '',
  `return ${'('.repeat(300)}1${')'.repeat(300)}`,
)
const sources = fc.oneof({ weight: 4, arbitrary: goodSources }, { weight: 1, arbitrary: badSources })
const addresses = fc.constantFrom(
  '',
  'https://hooks.example.com/a',
  'https://discord.com/api/webhooks/1/abc',
  'http://127.0.0.1:80/',
  'https://[::1]/',
  'https://user:word@example.com/',
  'https://example.com:99999/',
  'javascript:alert(1)',
  'https://links.example.com/s?abc',
  '//example.com',
)
const entries = fc.record(
  {
    key: fc.oneof(reference('user_key'), fc.stringMatching(/^[\w-]{7,65}$/)),
    chat_id: words,
    chat: words,
    fingerprint: words,
    identifier: words,
    hwid: words,
    auth_expire: fc.oneof(times, fc.constantFrom(-1, 1_700_000_000)),
    key_expires: times,
    note: words,
    executor: words,
    blacklisted: fc.boolean(),
    blacklist_reason: words,
    blacklist_expires: times,
  },
  { requiredKeys: [] },
)
/** A complete checkpoint for each provider. */
export const checkpoints = fc.constantFrom(
  { provider: 'provider_c', provider_data: { link_id: '42' } },
  { provider: 'provider_a', provider_data: { token: 'abcdefghijklmnop' } },
  { provider: 'provider_b', provider_data: { api_token: 'abcdefghijklmnop', unsigned_postbacks: true } },
)
const settings = fc.constantFrom(
  { link_id: '42' },
  { token: 'abcdefghijklmnop' },
  { api_token: 'abcdefghijklmnop', postback_secret: 'abcdefghijklmnopqr', check_ip: true },
  { link_id: '42', override: 'yes' },
  {},
)

const LOGO = png().toString('base64')

/** Values that a real client might send, by field name, valid or not. */
const HINTS: Readonly<Record<string, Values>> = {
  script: sources,
  options: fc.constantFrom({}, { preset: 'light' }, { preset: 'strong', target: 'luau' }, { preset: 'none' }),
  files: fc.constantFrom(
    {},
    { 'lib/a.lua': 'return 1' },
    { '../a.lua': 'return 1' },
    { 'a.lua': 'return (' },
  ),
  script_path: fc.constantFrom('main.lua', 'src/main.luau', '../main.lua', ''),
  project_id: reference('project_id'),
  account_id: reference('account_id'),
  plan_id: fc.oneof(reference('plan_id'), fc.constantFrom('', 'none')),
  move_to: reference('plan_id'),
  tags: fc.array(fc.constantFrom('vip', 'beta', ' vip '), { maxLength: 3 }),
  tag: fc.constantFrom('vip', 'beta', 'nobody', ''),
  issued_by: fc.constantFrom('shop', 'reseller', ''),
  metadata: fc.constantFrom('order=1', { order: 1 }, { is: true, public: { a: [1] } }, {}, null),
  features: fc.constantFrom(
    {},
    { turbo: true },
    { slots: 3, tone: 'é' },
    { Bad: true },
    { slots: null },
    { a: [] },
  ),
  variables: fc.constantFrom(
    {},
    { motd: { value: 'é' } },
    { motd: { value: { list: [1, null] } }, slots: { value: 3, scripts: null, plans: null } },
    { motd: { value: null } },
    { Motd: { value: 1 } },
    { motd: { value: nested(17) } },
    { constructor: { value: 1 } },
    { motd: { value: 1, scripts: ['scr_none'] } },
  ),
  version: fc.constantFrom(0, 1, 2, -1),
  announcement_id: reference('announcement_id'),
  error_id: reference('error_id'),
  trace_id: reference('trace_id'),
  release_id: reference('release_id'),
  channel: fc.constantFrom('stable', 'beta', 'Beta', ''),
  percent: fc.constantFrom(0, 1, 50, 100, 101),
  over: fc.constantFrom(0, 60_000, 2 ** 40),
  guard: fc.constantFrom('roll_back', 'hold', 'off', 'maybe'),
  function_name: fc.constantFrom('price', 'area'),
  source: fc.constantFrom('return function(run, ...) return ... end', 'return 1', 'return function(', ''),
  level: fc.constantFrom('info', 'warning', 'critical', 'urgent'),
  until: times,
  script_id: reference('script_id'),
  scripts: fc.array(reference('script_id'), { maxLength: 3 }),
  accent: fc.constantFrom('', '#1f5fd0', '#FFFFFF', '#12345', 'red'),
  logo: fc.constantFrom('', LOGO, LOGO.slice(4), 'PHN2Zy8+'),
  session_ids: fc.array(reference('session_id'), { minLength: 1, maxLength: 3 }),
  after: reference('after'),
  key: fc.oneof(reference('user_key'), words),
  api_key: reference('api_key'),
  nonce: fc.constantFrom('n'.repeat(16), 'n_-'.repeat(20), 'short'),
  after_expiry: fc.constantFrom('deny', 'keep_version', 'run'),
  key_format: fc.constantFrom('', 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X', 'HUB-X'),
  format: fc.constantFrom('', 'XXXXXXX-XXXXXXX-XXXXXXX', 'X'),
  expiring_lead: fc.constantFrom(0, 86_400_000, -1),
  address: fc.constantFrom(
    'https://hooks.example.com/b',
    'https://discord.com/api/webhooks/2/def',
    'ftp://x',
    '',
  ),
  events: fc.constantFrom(null, ['user.created'], ['user.edited', 'user.removed'], ['none']),
  state: fc.constantFrom('s'.repeat(16), 's_-'.repeat(40), 'S'.repeat(128), 'short'),
  code_challenge: fc.constantFrom(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    'c'.repeat(43),
    '_-0'.repeat(14),
  ),
  scopes: fc.constantFrom(
    ['scripts:read'],
    ['users:read', 'users:write'],
    ['webhooks:read', 'webhooks:read'],
  ),
  networks: fc.constantFrom(null, ['203.0.113.0/24'], ['2001:db8::/48', '203.0.113.7'], ['everywhere']),
  fingerprint: fc.constantFrom('A'.repeat(22), 'B'.repeat(22), null, 'none'),
  users: fc.array(fc.oneof({ weight: 5, arbitrary: entries }, { weight: 1, arbitrary: fc.anything() }), {
    maxLength: 12,
  }),
  amount: fc.constantFrom(0, 1, 2, 30, 10_000, 10_001),
  duration: fc.constantFrom(0, 1, DAY, -DAY, 253_402_300_799_999),
  from: pages,
  limit: pages,
  index: fc.constantFrom(-1, 0, 1, 2),
  provider_data: fc.oneof(
    settings,
    settings.map((data) => JSON.stringify(data)),
  ),
  url: fc.oneof(addresses, fc.constantFrom('my-place', 'My-Place', 'a_b')),
  email: fc.oneof(
    fc.uuid().map((name) => `${name}@example.com`),
    fc.constantFrom('one@example.com', 'ONE@example.com', 'none'),
  ),
  tier: fc.constantFrom(0, 1, 2, 999),
  name: words,
  note: words,
  chat_id: words,
  search: words,
  executor: words,
  reason: words,
  blacklist_reason: words,
}

function hintsFor(name: string): Values | undefined {
  if (name.endsWith('_webhook')) return addresses
  if (name.includes('expire')) return fc.oneof(times, times.map(String), fc.boolean())
  return Object.hasOwn(HINTS, name) ? HINTS[name] : undefined
}

const oddTexts = fc.constantFrom(
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00',
  '\u202e\u200b',
  'x'.repeat(3000),
  '__proto__',
  'constructor',
  'null',
  'true',
  '1e400',
  "' or 1=1 --",
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '9223372036854775808',
)
const oddNumbers = fc.constantFrom(-0, -1, 0.1, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, 5e-324, -(2 ** 63))

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that match no schema. */
export const anything: Values = fc.oneof(
  oddTexts,
  oddNumbers,
  fc.constantFrom(null, true, false, [], {}, nested(31), nested(33), nested(400)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
)

export const oddNames = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '',
  'unknown',
  'a\u0000',
  '\ud800',
)
