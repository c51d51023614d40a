/** Hides secrets in the audit log. Keys are truncated; other secrets are replaced with a placeholder. */
import type { Members } from './entry.ts'

const HIDDEN = '•••'
const KEY_START = 4
const MAX_TEXT = 200
/** Minimum length of a random state. */
const MIN_RANDOM = 16

/** Fields that contain or match a user key. The key's first characters are kept to identify it. */
const KEYS: ReadonlySet<string> = new Set(['api_key', 'user_key', 'key', 'exec', 'search'])
/** Fields that contain a secret, or an image, which would be unreadable in a log. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['script', 'test_script', 'files', 'text', 'data', 'provider_data', 'source', 'csv'],
  ...['execution_webhook', 'information_webhook', 'blacklist_webhook', 'address'],
  ...['code_challenge', 'code_verifier'],
  ...['password', 'new_password', 'code', 'secret', 'link', 'response', 'ticket', 'captcha', 'token', 'hash'],
  'bot_token',
  'logo',
  // A ban's value may identify a device.
  'value',
  // An author may store anything in a user's metadata.
  'metadata',
  'private_note',
])
/**
 * Lists whose items are recorded. Other lists are long and full of keys, so only their length is recorded.
 */
const SHOWN_LISTS: ReadonlySet<string> = new Set([
  'scopes',
  'projects',
  'networks',
  'scripts',
  'events',
  'tags',
  'places',
  'games',
])
/** Matches API keys and tokens in any text, because users paste them anywhere. */
const CREDENTIALS = /\b(swt?_)[A-Za-z0-9]{20,}/g

export function masked(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, maskedValue(name, value)]))
}

export function isSecret(name: string): boolean {
  return SECRETS.has(name) || KEYS.has(name)
}

export function maskedValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (SECRETS.has(name) || isRandomState(name, value)) return HIDDEN
  if (KEYS.has(name)) return startOf(typeof value === 'string' ? value : JSON.stringify(value))
  if (typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return maskedText(value)
  if (Array.isArray(value)) return maskedList(name, value)
  const members = masked(value as Members)
  return JSON.stringify(members).length > MAX_TEXT ? HIDDEN : members
}

/**
 * Returns whether a state is the random one of a command-line login. The states of scripts and errors are
 * booleans and short words.
 */
function isRandomState(name: string, value: unknown): boolean {
  return name === 'state' && typeof value === 'string' && value.length >= MIN_RANDOM
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
  return list.map((one) => {
    if (typeof one === 'number') return one
    return typeof one === 'string' ? maskedText(one) : HIDDEN
  })
}
