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

/** Hides an address where it stands in a text of somebody else, such as the answer of a receiver. */
export function visibleText<T extends string | null>(text: T, address: string, viewer: Viewer): T | string {
  return text === null ? text : text.replaceAll(address, visibleAddress(address, viewer))
}
