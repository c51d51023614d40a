// Tests the parser for the hello, the only message that untrusted clients can send.
import { describe, expect, it } from 'vitest'
import { BadHello, readHello, readHelloBytes } from '../src/hello.ts'
import { DENIALS, denial } from '../src/messages.ts'

const HELLO = {
  pv: 1,
  lb: 1,
  sv: 3,
  script: 'script-1',
  key: 'KEY-1',
  rt: 'lua5.1',
  host: { executor: 'lua5.1', version: '', platform: 'linux' },
  fp: { machine_id: 'AAECAwQFBgcICQoLDA0ODw' },
  caps: { ws: false, raw: true, lz4: true, buffer: false, post: true, max_body: 65536 },
}

const WRONG: readonly (readonly [string, unknown])[] = [
  ['pv', 0],
  ['lb', '1'],
  ['lb', 1.5],
  ['sv', -1],
  ['sv', Number.NaN],
  ['script', ''],
  ['script', 'x'.repeat(65)],
  ['script', 'a\0b'],
  ['key', 5],
  ['key', 'x'.repeat(513)],
  ['key', '\ud800'],
  ['rt', 'lua6'],
  ['rt', ['lua5.1']],
  ['host', 'lua5.1'],
  ['host', []],
  ['host.executor', ''],
  ['host.version', null],
  ['host.platform', 'x'.repeat(65)],
  ['fp', null],
  ['fp', ['x']],
  ['fp.machine_id', 'AAECAwQFBgcICQoLDA0OD!'],
  ['fp.machine_id', 'AAECAwQFBgcICQoLDA0ODz'],
  ['fp.machine_id', 5],
  ['fp.header', 'AAECAwQFBgcICQoLDA0ODw'],
  ['fp.other', 'AAECAwQFBgcICQoLDA0ODw'],
  ['caps.ws', 1],
  ['caps.max_body', -1],
  ['game', null],
  ['game.place_id', 12],
  ['env.hooked', 'x'],
  ['env.c_request', 0],
  ['t', 'now'],
  ['lang', ''],
  ['lang', 'x'.repeat(17)],
  ['lang', 'pt_BR'],
  ['lang', 'de\n'],
  ['lang', null],
  ['extra', 1],
  ['host.extra', 1],
]

const UNREADABLE: readonly (readonly [string, Buffer])[] = [
  ['too large', Buffer.from(JSON.stringify({ ...HELLO, key: 'x'.repeat(70_000) }))],
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['not JSON', Buffer.from('{')],
  ['empty', Buffer.alloc(0)],
  ['nested beyond every limit', Buffer.from('['.repeat(30_000) + ']'.repeat(30_000))],
]

describe('a hello', () => {
  it('is accepted with and without its optional fields', () => {
    expect(readHello(HELLO)).toEqual(HELLO)
    const full = {
      ...HELLO,
      key: null,
      game: { place_id: '12' },
      env: { hooked: 0, c_request: true },
      t: 1.5,
      lang: 'pt-BR',
    }
    expect(readHello(full)).toEqual(full)
    expect(readHelloBytes(Buffer.from(JSON.stringify(full)))).toEqual(full)
  })

  it.each(Object.keys(HELLO))('without %s is rejected with the name of the field', (member) => {
    expect(readHello({ ...HELLO, [member]: undefined })).toEqual(new BadHello(member, 'is missing'))
  })

  it.each(WRONG)('with %s = %j is rejected with the name of the field', (path, value) => {
    const bad = readHello(withMember(path, value))
    expect(bad).toBeInstanceOf(BadHello)
    expect((bad as BadHello).member).toBe(path)
    expect((bad as BadHello).mend.length).toBeGreaterThan(5)
  })

  it.each([null, 5, 'x', [], [HELLO], true])('that is %j is rejected', (json) => {
    expect(readHello(json)).toBeInstanceOf(BadHello)
  })

  it('gets no fields from names that every object inherits', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(readHello(JSON.parse(`{"${name}":1,${JSON.stringify(HELLO).slice(1)}`))).toBeInstanceOf(BadHello)
      expect(readHello({ ...HELLO, fp: JSON.parse(`{"${name}":"AAECAwQFBgcICQoLDA0ODw"}`) })).toBeInstanceOf(
        BadHello,
      )
    }
  })

  it.each([0, 2, 1000, 1.5, '1'])('of version %s, which boot records do not announce, is rejected', (pv) => {
    expect(readHello({ ...HELLO, pv })).toMatchObject({
      member: 'pv',
      mend: 'must be a version from the boot record: 1',
    })
  })

  it('does not put an untrusted name into the error unsanitized', () => {
    const bad = readHello({ ...HELLO, [`\n${'x'.repeat(100)}`]: 1 })
    expect((bad as BadHello).member).toMatch(/^\?x{31}$/)
  })

  it.each(UNREADABLE)('that is %s is rejected', (_, text) => {
    expect(readHelloBytes(text)).toBeInstanceOf(BadHello)
  })
})

describe('denials', () => {
  it('each have a unique number and a message for the user', () => {
    const codes = Object.values(DENIALS).map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    expect(denial('max_instances', { details: { live: 2, max: 2 } })).toEqual({
      ok: false,
      code: 18,
      reason: 'max_instances',
      message: DENIALS.max_instances.message,
      details: { live: 2, max: 2 },
    })
  })
})

function withMember(path: string, value: unknown): unknown {
  const [outer = '', inner] = path.split('.')
  if (inner === undefined) return { ...HELLO, [outer]: value }
  const found: unknown = Object.entries(HELLO).find(([name]) => name === outer)?.[1] ?? {}
  return { ...HELLO, [outer]: { ...(found as object), [inner]: value } }
}
