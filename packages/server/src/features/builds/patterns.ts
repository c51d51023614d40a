/**
 * The patterns of messages: the values of a run are matched on the event loop, so what a message may cost there is bounded
 * when its script is built. Here, in the process of the build, because to find that out costs as much.
 */
import { type Message, paramOf } from '@scriptward/obfuscator'
import { RE2JS } from 're2js'
import type { Complaint } from './build.ts'

const MAX_PATTERN_LENGTH = 500
/** Instructions of all patterns of a message: its values have 2,000 characters each. */
const MAX_PROGRAM = 1000
/** A range up to no ASCII character, where both cases count: compiling it takes as long as matching so many instructions. */
const WIDE_RANGE = 100

/** What is wrong with patterns, each with its place in the source. */
export function checkPatterns(messages: readonly Message[]): Complaint[] {
  return messages.flatMap(({ values }) => {
    let room = MAX_PROGRAM
    return values.flatMap((value) => {
      if (value.pattern === null) return []
      const size = sizeOf(value.pattern)
      if (typeof size === 'string') return [complainAt(value, size)]
      room -= size
      return room < 0 ? [complainAt(value, TOO_SLOW)] : []
    })
  })
}

const TOO_SLOW =
  'the patterns of this message could take too long together: write smaller numbers of repeats, or fewer patterns'

/** Instructions of a pattern, or what is wrong with it. */
function sizeOf(pattern: string): number | string {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `this pattern has more than ${MAX_PATTERN_LENGTH} characters`
  const [repeat] = /\{\d+,\s+\d+\}/.exec(pattern) ?? []
  if (repeat !== undefined)
    return `'${repeat}' in this pattern repeats nothing: write ${repeat.replace(/\s/g, '')}`
  const ranges = sizeOfRanges(pattern)
  if (ranges > MAX_PROGRAM)
    return 'this pattern could take too long: write fewer ranges where both cases count'
  try {
    const size = RE2JS.compile(pattern).programSize() + ranges
    return size > MAX_PROGRAM ? 'this pattern could take too long: write smaller numbers of repeats' : size
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return `this pattern is no regular expression of RE2: ${words}. Look-around and back references are not in it`
  }
}

/** RE2 looks for the other case of each character of such a range: of a hundred thousand, in some milliseconds. */
function sizeOfRanges(pattern: string): number {
  if (!/\(\?[imsU-]*i/.test(pattern)) return 0
  return (pattern.match(/-(?=[^ -[\]-~])/g) ?? []).length * WIDE_RANGE
}

export function complainAt(
  { file, line, column }: Pick<Message, 'file' | 'line' | 'column'>,
  words: string,
): Complaint {
  const param = file === null ? 'script' : paramOf(file)
  return { param, message: `line ${line}, column ${column}: ${words}` }
}
