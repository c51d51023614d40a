/** Hides secrets from the audit log: what remains of a key is its beginning, of any other secret that there was one. */
import type { Members } from './entry.ts'

const HIDDEN = '•••'
const KEY_START = 4
const MAX_TEXT = 200

/** Members that hold a user key; its beginning distinguishes them. */
const KEYS: ReadonlySet<string> = new Set(['api_key', 'user_key', 'key', 'exec'])
/** Members that hold a secret, whole or in a part, or an image, which is as little to be read. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['script', 'test_script', 'files', 'text', 'data', 'provider_data'],
  ...['execution_webhook', 'information_webhook', 'blacklist_webhook', 'address'],
  ...['code_challenge', 'code_verifier', 'state'],
  ...['password', 'new_password', 'code', 'secret', 'link', 'response', 'ticket', 'captcha', 'token', 'hash'],
  'logo',
  // Of a ban: it may identify a device.
  'value',
  // Of a user: the author's own, whatever it is.
  'metadata',
  'private_note',
])
/** Lists that are worth reading; of others their length is: they are long and full of keys. */
const SHOWN_LISTS: ReadonlySet<string> = new Set([
  'scopes',
  'projects',
  'networks',
  'scripts',
  'events',
  'tags',
])
/** API keys and tokens, wherever one was pasted. */
const CREDENTIALS = /\b(swt?_)[A-Za-z0-9]{20,}/g

export function masked(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, maskedValue(name, value)]))
}

export function isSecret(name: string): boolean {
  return SECRETS.has(name) || KEYS.has(name)
}

export function maskedValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (SECRETS.has(name)) return HIDDEN
  if (KEYS.has(name)) return startOf(typeof value === 'string' ? value : JSON.stringify(value))
  if (typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return maskedText(value)
  if (Array.isArray(value)) return maskedList(name, value)
  const members = masked(value as Members)
  return JSON.stringify(members).length > MAX_TEXT ? HIDDEN : members
}

function startOf(key: string): string {
  return `${[...key].slice(0, KEY_START).join('')}…`
}

function maskedText(text: string): string {
  const whole = text.replace(CREDENTIALS, '$1…')
  return whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}…` : whole
}

function maskedList(name: string, list: readonly unknown[]): unknown {
  if (!SHOWN_LISTS.has(name) || JSON.stringify(list).length > 10 * MAX_TEXT) return `${list.length} entries`
  return list.map((one) => (typeof one === 'string' ? maskedText(one) : HIDDEN))
}
