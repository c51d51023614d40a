/**
 * IDs of all resources except users. An ID consists of a prefix for the kind of resource, the time, and
 * random characters.
 */

export type IdPrefix =
  | 'ann'
  | 'aud'
  | 'ban'
  | 'chg'
  | 'chk'
  | 'cus'
  | 'dev'
  | 'err'
  | 'evt'
  | 'inv'
  | 'mai'
  | 'mem'
  | 'pky'
  | 'pln'
  | 'prj'
  | 'psn'
  | 'rel'
  | 'scr'
  | 'ses'
  | 'sgn'
  | 'sys'
  | 'tok'
  | 'trc'
  | 'way'
  | 'whk'

/** The alphabet for random strings. */
export const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** The alphabet for times in IDs, sorted by byte value. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^8 milliseconds reach past the year 8800. */
const TIME_LENGTH = 8
const RANDOM_LENGTH = 14

/** When sorted by bytes, IDs from different milliseconds are in chronological order. */
export function newId(prefix: IdPrefix, now: number, random: (count: number) => Buffer): string {
  return `${prefix}_${sortableTime(now)}${randomText(random, RANDOM_LENGTH)}`
}

function sortableTime(now: number): string {
  let text = ''
  for (let rest = now, place = 0; place < TIME_LENGTH; place += 1) {
    text = DIGITS.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Discards bytes of 248 or more, which would make the first eight characters more likely than others. */
export function randomText(random: (count: number) => Buffer, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length + 8)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62)
    }
  }
  return text
}
