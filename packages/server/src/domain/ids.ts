/** Ids of everything but users: a prefix that tells the noun, then the time, then chance. */
import { randomText } from './credentials.ts'

export type IdPrefix = 'chk' | 'cus' | 'evt' | 'prj' | 'scr' | 'ses' | 'sys' | 'way'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^8 milliseconds reach past the year 8800. */
const TIME_LENGTH = 8
const RANDOM_LENGTH = 14

/** Byte order of ids made in different milliseconds is their order in time. */
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
