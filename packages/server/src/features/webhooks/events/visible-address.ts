/**
 * Masks a webhook URL. Callers without write permission see the destination, but nothing that would let them
 * send messages.
 */
export type Viewer = { readonly scopes: ReadonlySet<string> }

const HIDDEN = '•••'
/** Matches a word but not a token: `api` in `/api/webhooks/1/…`, `services` in `/services/T0/…`. */
const WORD = /^[a-z][a-z-]{0,19}$/

export function visibleAddress(address: string, { scopes }: Viewer): string {
  return scopes.has('webhooks:write') ? address : maskAddress(address)
}

/**
 * Shows the host and the first segment of the path. A path with a single segment is hidden completely,
 * because it may be the token.
 */
export function maskAddress(address: string): string {
  const url = URL.parse(address)
  if (url === null) return HIDDEN
  const [first = '', ...rest] = url.pathname.slice(1).split('/')
  const isShown = rest.some((part) => part !== '') && WORD.test(first)
  return `${url.origin}/${isShown ? `${first}/` : ''}${HIDDEN}`
}

/**
 * Hides a URL, or parts of it, in text from another server, such as a receiver's response. Many servers
 * include an unknown path in their response.
 */
export function visibleText<T extends string | null>(
  text: T,
  address: string,
  { scopes }: Viewer,
): T | string {
  if (text === null || scopes.has('webhooks:write')) return text
  return hiddenParts(address).reduce(hidePart, text.replaceAll(address, maskAddress(address)))
}

/** Shorter parts are not secret, and hiding them would also remove parts of other words. */
const SHORTEST_PART = 4

/** Returns the parts that {@link maskAddress} hides, longest first, both encoded and decoded. */
function hiddenParts(address: string): string[] {
  const url = URL.parse(address)
  if (url === null) return []
  const [first = '', ...rest] = url.pathname.slice(1).split('/')
  const isShown = maskAddress(address).endsWith(`/${first}/${HIDDEN}`)
  const { username, password, hash, search, searchParams } = url
  const parts = [...(isShown ? rest : [first, ...rest]), username, password, hash.slice(1), search.slice(1)]
  const all = [...parts, ...parts.map(decoded), ...searchParams.values()]
  return all.filter(({ length }) => length >= SHORTEST_PART).sort((a, b) => b.length - a.length)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Hides a part of a URL in a string, even if the string ends within that part. */
function hidePart(text: string, part: string): string {
  const shown = text.replaceAll(part, HIDDEN)
  for (let length = part.length - 1; length >= SHORTEST_PART; length--)
    if (shown.endsWith(part.slice(0, length))) return `${shown.slice(0, -length)}${HIDDEN}`
  return shown
}
