/** Log lines in machine-readable and human-readable format. */
import { describe, expect, test } from 'vitest'
import { makeLog, textOf } from './log.ts'

function linesOf(write: (log: ReturnType<typeof makeLog>) => void): string[] {
  const lines: string[] = []
  write(makeLog('info', { write: (line) => void lines.push(line) }))
  return lines
}
const textsOf = (write: (log: ReturnType<typeof makeLog>) => void) => linesOf(write).map(textOf)

describe('a JSON line', () => {
  test('has its level as a word and its time in ISO 8601, in UTC', () => {
    const [line = ''] = linesOf((log) => log.child({ request_id: 'abcdefgh' }).warn({ ms: 1.5 }, 'slow'))
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: 'abcdefgh',
      ms: 1.5,
      msg: 'slow',
    })
  })
})

describe('a text line', () => {
  test('contains time, level, message and fields', () => {
    const [text] = textsOf((log) =>
      log.info({ ms: 3, route: '/v1/me', why: 'wrong password', person: null, settings: ['A', 'B'] }, 'done'),
    )
    expect(text).toMatch(
      /^\d{4}-\S+Z INFO {2}done ms=3 route=\/v1\/me why="wrong password" person=null settings=\["A","B"\]\n$/,
    )
  })

  test('shows a stack below it, and is a single line without fields', () => {
    const [stack, bare] = textsOf((log) => {
      log.error({ job: 'prune', error: 'Error: full\n    at run' }, 'a job failed')
      log.warn('no members')
    })
    expect(stack).toMatch(/ ERROR a job failed job=prune\n {4}error: Error: full\n {8}at run\n$/)
    expect(bare).toMatch(/^\S+ WARN {2}no members\n$/)
  })

  test('cannot control the terminal or forge another log line', () => {
    const [text = ''] = textsOf((log) =>
      log.info(
        { a: '\u001b[2Jx', b: 'x y\u009b31m', c: 'x\r\n2026-01-01T00:00:00.000Z INFO forged' },
        '\u0007m',
      ),
    )
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('    '))).toHaveLength(1)
  })
})
