/** Hides secrets from the audit log: what remains of a key is its beginning, of any other secret that there was one. */

const HIDDEN = '•••'
const KEY_START = 4
const MAX_TEXT = 200

/** Members that hold a key of somebody; its beginning tells them apart. */
const KEYS: ReadonlySet<string> = new Set(['api_key', 'user_key', 'key', 'exec'])
/** Members that hold a secret, whole or in a part. */
const SECRETS: ReadonlySet<string> = new Set([
  'script',
  'test_script',
  'text',
  'data',
  'password',
  'new_password',
  'code',
  'secret',
  'link',
  'response',
  'ticket',
  'provider_data',
  'execution_webhook',
  'information_webhook',
  'blacklist_webhook',
])

export function masked(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, maskedValue(name, value)]))
}

/** Lists become their length: those of bulk changes are long and full of keys. */
export function maskedValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number')
    return value
  if (SECRETS.has(name)) return HIDDEN
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (KEYS.has(name)) return `${text.slice(0, KEY_START)}…`
  if (Array.isArray(value) && !value.every((one) => isShort(one))) return `${value.length} entries`
  if (typeof value === 'string') return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  return text.length > MAX_TEXT ? HIDDEN : value
}

/** Scopes, ids and networks are worth reading. */
function isShort(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z]+:[a-z]+$|^prj_|^admin$|^[\d.:a-f]+(\/\d+)?$/.test(value)
}
