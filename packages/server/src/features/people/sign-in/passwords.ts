/**
 * Decides which passwords are accepted, and hashes them for storage. Hashes are argon2id in PHC string
 * format. Only a few hashes are computed at a time, because each needs a thread and a lot of memory.
 */
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { prefixOf } from '../../../platform/limits/networks.ts'

const MIN_LENGTH = 12
const MAX_LENGTH = 128
/**
 * Minimum number of distinct characters. A password with fewer counts as a pattern, such as aaaaaaaaaaaa or
 * 121212121212.
 */
const MIN_DIFFERENT = 5
/**
 * If the local part of the email address has at least this length, a password must not contain it. Shorter
 * local parts occur in too many words.
 */
const MIN_LOCAL_PART = 4

/** Parameters recommended by OWASP. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const SALT_BYTES = 16
/** Maximum number of queued hashes. Further requests are rejected immediately. */
const MAX_WAITING = 64
const RETRY_SECONDS = 2

const compute = promisify(argon2)

type Hashing = Pick<Deps, 'limits' | 'random'>
export type Busy = Refused<'rate_limited'>

/** Returns what is wrong with a new password, or undefined if it is acceptable. */
export async function passwordFault(password: string, email: string): Promise<string | undefined> {
  const { length } = [...normal(password)]
  if (length < MIN_LENGTH || length > MAX_LENGTH)
    return `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters (has ${length})`
  const small = normal(password).toLowerCase()
  const [localPart = ''] = email.toLowerCase().split('@')
  if (localPart.length >= MIN_LOCAL_PART && small.includes(localPart))
    return 'must not contain the name part of your email address'
  if (new Set(small).size < MIN_DIFFERENT) return `must have at least ${MIN_DIFFERENT} different characters`
  return (await commonPasswords()).has(small)
    ? 'is one of the most common passwords. Choose another'
    : undefined
}

/** Returns the PHC string. `address` is the client's IP address. */
export async function hashPassword(deps: Hashing, password: string, address: string): Promise<string | Busy> {
  const salt = deps.random(SALT_BYTES)
  const tag = await inTurn(deps, address, () =>
    compute('argon2id', { ...COST, message: normal(password), nonce: salt }),
  )
  return Buffer.isBuffer(tag) ? written(salt, tag) : tag
}

/**
 * Returns whether the password matches the hash. If there is no stored hash, takes the same time and returns
 * false.
 */
export async function isPassword(
  deps: Hashing,
  stored: string | null | undefined,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<boolean | Busy> {
  const { salt, tag, ...cost } = read(stored ?? NO_HASH)
  const message = normal(password)
  const found = await inTurn(deps, address, () =>
    compute('argon2id', { ...cost, tagLength: tag.length, message, nonce: salt }),
  )
  if (!Buffer.isBuffer(found)) return found
  return timingSafeEqual(found, tag) && stored !== null && stored !== undefined
}

/**
 * Queues hashes fairly between networks, so that a network that floods the server delays others by only a
 * hash or two.
 */
async function inTurn(
  { limits }: Pick<Deps, 'limits'>,
  address: string,
  work: () => Promise<Buffer>,
): Promise<Buffer | Busy> {
  const busy = refuse('rate_limited', { retry_after: RETRY_SECONDS })
  if (limits.passwords.load().waiting >= MAX_WAITING) return busy
  const queued = await limits.passwords.run(prefixOf(address), work)
  return 'done' in queued ? queued.done : busy
}

/** Normalizes Unicode, so that a password matches whichever keyboard it was typed on. */
function normal(password: string): string {
  return password.normalize('NFC')
}

function written(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/** PHC strings use base64 without padding. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const NO_HASH = written(Buffer.alloc(SALT_BYTES), Buffer.alloc(COST.tagLength))
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

function read(phc: string) {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc) ?? []
  if (tag === '') throw new Error('a stored password hash is not one of argon2id')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

let common: Promise<ReadonlySet<string>> | undefined

/**
 * Returns the 49,000 most common passwords in lowercase. They are loaded when the first new password is
 * checked.
 */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as string[]),
  )
  return common
}
