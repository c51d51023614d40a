/** Tests that a watermark is found in edited copies of a protected script, and never in anything else. */
import { obfuscate, type Slot } from '@scriptward/obfuscator'
import { describe, expect, test } from 'vitest'
import { readMarks } from './decode-watermark.ts'

const SOURCE = Array.from(
  { length: 12 },
  (
    _,
    i,
  ) => `local function f${i}(a, b) if a > ${i} then return a * b end return f and f(a + ${i}) or 'text ${i}' end
  print(f${i}(${i}, 2), "it's number ${i}")`,
).join('\n')

const { code, slots } = build('one')
const bits = slots.map((_, i) => (i * 7919) % 3 === 0)
const leak = written(code, slots, bits)

function build(seed: string) {
  const built = obfuscate(SOURCE, { preset: 'strong', seed, slots: 1024 })
  if ('errors' in built) throw new Error(JSON.stringify(built.errors))
  return built
}

function written(text: string, places: readonly Slot[], isOne: readonly boolean[]): string {
  const bytes = Buffer.from(text)
  places.forEach((slot, i) => {
    for (const edit of isOne[i] ? slot : []) bytes.write(edit.text, edit.at)
  })
  return bytes.toString()
}

/** Checks that every slot that was read is correct, and returns how many there are. */
function readIn(text: string): number {
  const reading = readMarks(text, code, slots)
  const wrong = reading.findIndex((bit, i) => bit !== -1 && bit !== Number(bits[i]))
  expect(wrong).toBe(-1)
  return reading.filter((bit) => bit !== -1).length
}

/** Returns the literal that contains the instruction stream. */
function streamIn(text: string): string {
  return (
    [...text.matchAll(/"([^"]*)"/g)].map(([, inner = '']) => inner).sort((a, b) => b.length - a.length)[0] ??
    ''
  )
}

describe('all slots are read', () => {
  test('in an unchanged copy', () => {
    expect(readIn(leak)).toBe(1024)
  })

  test('with different names, different whitespace and other code around it', () => {
    const renamed = leak.replaceAll(/\blocal (\w+)/g, 'local   xx_$1').replaceAll(/\bend\b/g, '\nend\n')
    expect(readIn(`-- a header\n${renamed}`)).toBe(1024)
  })

  test('with other quotes and every character escaped', () => {
    const stream = streamIn(leak)
    const single = `'${stream.replaceAll("'", "\\'")}'`
    const decimal = `"${[...stream].map((c) => `\\${String(c.charCodeAt(0)).padStart(3, '0')}`).join('')}"`
    const hex = `"${[...stream].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')}"`
    for (const literal of [single, decimal, hex]) expect(readIn(`local s = ${literal} return s`)).toBe(1024)
  })
})

describe('all remaining slots are read', () => {
  test.each([0.2, 0.5, 0.8])('on both sides of a cut at %d', (share) => {
    const cut = Math.floor(leak.length * share)
    const parts = [leak.slice(0, cut), leak.slice(cut)]
    const counts = parts.map(readIn)
    // A slot is encoded in several locations, so both parts may contain the same slot.
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBeGreaterThan(1000)
    const [before, behind] = parts.map((part) => readMarks(part, code, slots)) as [Int8Array, Int8Array]
    expect(before.filter((bit, i) => bit !== -1 || behind[i] !== -1).length).toBeGreaterThan(1000)
  })

  test('in lines that were wrapped and reordered', () => {
    const lines = leak.match(/.{1,400}/g) ?? []
    expect(readIn(lines.reverse().join('\n'))).toBeGreaterThan(900)
  })
})

describe('nothing is read', () => {
  test.each([
    ['the original source', SOURCE],
    ['an empty line', '\n'],
    ['another build of the same source', build('two').code],
    [
      'random text',
      Array.from({ length: 60_000 }, (_, i) => String.fromCharCode(33 + ((i * i * 31 + i * 17) % 93))).join(
        '',
      ),
    ],
  ])('in %s', (_, text) => {
    expect(readMarks(text, code, slots).every((bit) => bit === -1)).toBe(true)
  })

  test('if two copies contradict each other in one slot', () => {
    const zero = written(code, slots, [])
    const one = written(
      code,
      slots,
      slots.map(() => true),
    )
    const pair = slots.findIndex((slot) => slot.length > 1)
    const [first] = slots[pair] as Slot
    const torn = `${zero.slice(0, first?.at)}${one.slice(first?.at, (first?.at ?? 0) + (first?.text.length ?? 0))}${zero.slice((first?.at ?? 0) + (first?.text.length ?? 0))}`
    expect(readMarks(torn, code, slots)[pair]).toBe(-1)
  })
})

/** Returns the CPU time of this thread, in milliseconds. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

describe('a repetitive copy', () => {
  const LENGTH = 100_000
  const ordinary = Array.from({ length: LENGTH }, (_, i) =>
    String.fromCharCode(33 + ((i * i * 31 + i * 17) % 93)),
  ).join('')
  const costOf = (text: string, template: string, places: readonly Slot[]) =>
    cpuOf(() => void readMarks(text, template, places))

  test('made of complete copies is still read', () => {
    expect(readIn(leak.repeat(5))).toBe(1024)
  })

  test('costs about as much as an ordinary one, even if all slots start alike', () => {
    const alike = Array.from({ length: 1000 }, (_, i) => `abc${String(i).padStart(4, '0')}`).join('')
    const own = Array.from({ length: 1000 }, (_, i) => [{ at: i * 7, text: 'abcdefg' }])
    costOf(ordinary, alike, own)
    const calm = costOf(ordinary, alike, own)
    expect(costOf('abc'.repeat(LENGTH / 3), alike, own)).toBeLessThan(10 * calm + 20)
  })
})
