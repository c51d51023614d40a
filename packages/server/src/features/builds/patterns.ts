/**
 * Limits the cost of the regular expressions in message templates. A run's values are matched on the event
 * loop, so a message's cost is limited when its script is built. The check runs in the build process, because
 * it is as expensive as the matching itself.
 */
import { type Message, paramOf } from '@scriptward/obfuscator'
import { RE2JS } from 're2js'
import type { Complaint } from './build.ts'

const MAX_PATTERN_LENGTH = 500
/** Maximum total number of instructions in a message's patterns. Each value has up to 2,000 characters. */
const MAX_PROGRAM = 1000
/**
 * Instructions counted for a case-insensitive range that ends beyond ASCII. Compiling such a range takes as
 * long as matching this many instructions.
 */
const WIDE_RANGE = 100

/** Reports each pattern's error with its position in the source. */
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
  'the patterns of this message could take too long in total: use smaller repeat counts or fewer patterns'

/** Returns the number of instructions in a pattern, or its error message. */
function sizeOf(pattern: string): number | string {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `this pattern has more than ${MAX_PATTERN_LENGTH} characters`
  const [repeat] = /\{\d+,\s+\d+\}/.exec(pattern) ?? []
  if (repeat !== undefined)
    return `'${repeat}' in this pattern is not a repeat count: write ${repeat.replace(/\s/g, '')}`
  const ranges = sizeOfRanges(pattern)
  if (ranges > MAX_PROGRAM) return 'this pattern could take too long: use fewer case-insensitive ranges'
  try {
    const size = RE2JS.compile(pattern).programSize() + ranges
    return size > MAX_PROGRAM ? 'this pattern could take too long: use smaller repeat counts' : size
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return `this pattern is not a valid RE2 regular expression: ${words}. RE2 doesn't support lookaround or backreferences`
  }
}

/**
 * RE2 looks up the opposite case of each character in such a range, which takes milliseconds for a hundred
 * thousand characters.
 */
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
