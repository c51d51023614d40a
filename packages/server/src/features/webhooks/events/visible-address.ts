/** What of a webhook address a caller sees: whoever may not write it sees where it leads, and nothing that would let them send. */
export type Viewer = { readonly scopes: ReadonlySet<string> }

const HIDDEN = '•••'
/** A word, so not a token: `api` of `/api/webhooks/1/…`, `services` of `/services/T0/…`. */
const WORD = /^[a-z][a-z-]{0,19}$/

export function visibleAddress(address: string, { scopes }: Viewer): string {
  return scopes.has('webhooks:write') ? address : maskAddress(address)
}

/** Host and first part of the path. A path of one part is hidden whole, because that part may be the token. */
export function maskAddress(address: string): string {
  const url = URL.parse(address)
  if (url === null) return HIDDEN
  const [first = '', ...rest] = url.pathname.slice(1).split('/')
  const isShown = rest.some((part) => part !== '') && WORD.test(first)
  return `${url.origin}/${isShown ? `${first}/` : ''}${HIDDEN}`
}

/**
 * Hides an address where it stands in a text of somebody else, such as the answer of a receiver, also a part of it: many
 * servers name the path that they do not know.
 */
export function visibleText<T extends string | null>(
  text: T,
  address: string,
  { scopes }: Viewer,
): T | string {
  if (text === null || scopes.has('webhooks:write')) return text
  return hiddenParts(address).reduce(hidePart, text.replaceAll(address, maskAddress(address)))
}

/** Shorter ones are no secrets, and would hide parts of other words. */
const SHORTEST_PART = 4

/** What {@link maskAddress} hides, longest first, as it is written and as it reads. */
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

/** Also where the text was cut within it. */
function hidePart(text: string, part: string): string {
  const shown = text.replaceAll(part, HIDDEN)
  for (let length = part.length - 1; length >= SHORTEST_PART; length--)
    if (shown.endsWith(part.slice(0, length))) return `${shown.slice(0, -length)}${HIDDEN}`
  return shown
}
