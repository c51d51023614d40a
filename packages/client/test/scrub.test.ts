// Tests which data the loader removes from an error message before the message leaves the host.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effort } from './effort.ts'
import { evaluate, luaString, RUNTIMES } from './run-lua.ts'

const NAME = 'Garden/v2'
const RUNS = effort({ day: 150, night: 2000 })
const MAX_BYTES = 1000

interface Sample {
  readonly key: string
  readonly values: readonly string[]
  readonly paths: readonly string[]
  readonly text: string
}

/** Secrets contain only letters that the surrounding words lack, so that no secret appears by chance. */
const word = (letters: string, minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength, maxLength }).map((all) => all.join(''))
const filler = fc.oneof(
  word('abcdefghijkl', 1, 12),
  fc.constantFrom('=', "don't", '"', 'Garden/v2:57:', '1/2'),
)
const value = word('nopqrstuvwxyz é', 2, 150).map((text) => `qnn${text.trim()}z`)
const key = word('0123456789-', 8, 60)
const folder = word('GHJKLMNPQRSTUVWXYZ', 3, 12)
const path = fc
  .tuple(
    fc.constantFrom('/', 'C:\\', '\\\\', '~/', 'https://x.example/', '...'),
    fc.array(folder, { minLength: 2, maxLength: 5 }),
  )
  .map(([root, folders]) => root + folders.join(root.includes('\\') ? '\\' : '/'))
const cased = (secret: string) => fc.constantFrom(secret, secret.toUpperCase(), secret.slice(0, 8))

const sample: fc.Arbitrary<Sample> = fc
  .record({
    key,
    values: fc.array(value, { minLength: 1, maxLength: 6 }),
    paths: fc.array(path, { minLength: 1, maxLength: 3 }),
  })
  .chain(({ key, values, paths }) => {
    const secrets = [cased(key), ...[...values, ...paths].map((secret) => fc.constant(secret))]
    const part = fc.oneof(filler, filler, ...secrets, fc.constantFrom('\0', '\u001b', '\n'))
    const quoted = fc
      .tuple(part, fc.constantFrom('', '"', "'", '`'))
      .map(([text, quote]) => quote + text + quote)
    return fc
      .tuple(fc.array(quoted, { minLength: 1, maxLength: 400 }), fc.constantFrom(' ', ' ', ', '))
      .map(([parts, between]) => ({ key, values, paths, text: parts.join(between) }))
  })

const expressionOf = ({ key, values, text }: Sample) =>
  `hex(scrub('${NAME}', function() return ${luaString(key)}, { { ${values.map(luaString).join(', ')} } } end)(${luaString(text)}, ${MAX_BYTES}))`

const partsOf = (text: string, size: number) =>
  Array.from({ length: Math.max(1, text.length - size + 1) }, (_, i) => text.slice(i, i + size))

/** Returns the sample's secrets that are still in a text. */
function leaksOf({ key, values, paths }: Sample, text: string): string[] {
  const folders = paths.flatMap((path) => path.match(/[G-Z]{3,}/g) ?? [])
  return [...partsOf(key, 8), ...values, ...folders].filter((secret) => text.includes(secret))
}

const RULES = [
  ['short and harmless', 'short and harmless'],
  ['Garden/v2:57: in Garden/v2:58', 'Garden/v2:57: in Garden/v2:58'],
  ['1/2 and a/b.lua ./c and n/a', '1/2 and a/b.lua ./c and n/a'],
  ['at 0123-4567-89AB and 4567-89ab', 'at <key> and <key>'],
  ['a secret note of the customer and 7654321', 'a <ward> and <ward>'],
  ["can't open /etc/x y/z: No such file", "can't open <path>: No such file"],
  ['open "C:\\Program Files (x86)\\a b" failed', 'open "<path>" failed'],
  ['...very/long/file.lua:12: bad', '<path>:12: bad'],
  ['GET https://user:pw@x.example:8080/a?b=c#d failed', 'GET https://x.example:8080<path> failed'],
  [`it is "${'long '.repeat(20)}" here`, 'it is "…" here'],
  [`it is ${'é'.repeat(81)} here`, 'it is … here'],
  [`it is ${'é'.repeat(80)} here`, `it is ${'é'.repeat(80)} here`],
  [`it is "${'long '.repeat(3000)}`, 'it is "…"'],
  ['line\r\nbreaks\tand\u0007', 'line  breaks and?'],
] as const

describe.each(RUNTIMES)('on $name', { concurrent: true }, (runtime) => {
  const { missing = '' } = runtime

  test.skipIf(missing)(`no key, value or path is left ${missing}`, async () => {
    const samples = fc.sample(sample, RUNS)
    const answers = await evaluate(runtime, samples.map(expressionOf))
    const texts = answers.map((hex) => Buffer.from(hex, 'hex'))
    const found = samples.flatMap((one, i) =>
      leaksOf(one, String(texts[i])).map((leak) => ({ leak, one, text: String(texts[i]) })),
    )
    expect(found.slice(0, 3)).toEqual([])
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(MAX_BYTES)
      expect(Buffer.from(String(text))).toEqual(text)
      expect(String(text)).not.toMatch(/\p{Cc}/u)
    }
  })

  test.skipIf(missing)(`each kind of private text has its replacement ${missing}`, async () => {
    const values = ['secret note of the customer']
    const given = RULES.map(([text]) => ({ key: '0123-4567-89ab', values, paths: [], text }))
    const expressions = given.map((one) => expressionOf(one).replace('{ { ', '{ 7654321, { '))
    const answers = await evaluate(runtime, expressions)
    expect(answers.map((hex) => String(Buffer.from(hex, 'hex')))).toEqual(RULES.map(([, text]) => text))
  })
})
