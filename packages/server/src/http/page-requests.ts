/**
 * A browser's request from bytes to what a page is given: its form, its cookies, its language. Whether it may do what it
 * asks is the page's business.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Refused, refuse } from '../domain/refusals.ts'
import type { Page, PageRequest } from '../endpoints/page.ts'
import { chooseLanguage, isLanguage, type Language } from '../pages/language.ts'
import { findBadText, readBytes } from './body.ts'
import type { Incoming } from './walk.ts'

type Texts = Readonly<Record<string, string>>

/** A key, a token and an answer of a verifier are some hundred bytes each. */
const FORM_LIMIT = 16 * 1024
/** Keeps the language that somebody chose, for forms and for ways back from other sites. */
export const LANGUAGE_COOKIE = 'sw_lang'
const FORM_TYPE = /^application\/x-www-form-urlencoded *(;|$)/i

export async function readPageRequest(page: Page, request: Incoming): Promise<PageRequest | Refused> {
  const { headers } = request
  const query = firstOnes(request.query)
  const form = page.method === 'GET' ? {} : await readForm(request)
  if (form instanceof Refused) return form
  const params = request.params as Texts
  if (findBadText({ params, query, form }, 'request')) return refuse('invalid_request')
  const cookies = readCookies(headers.cookie)
  return {
    params,
    query,
    form,
    cookies,
    language: languageFrom(query, cookies, headers['accept-language']),
    assets: assetsFrom(page),
    isForeign: isForeign(headers),
    origin: { requestId: request.id, address: request.ip, headers },
  }
}

export function languageOf({ query, headers }: Pick<Incoming, 'query' | 'headers'>): Language {
  return languageFrom(firstOnes(query), readCookies(headers.cookie), headers['accept-language'])
}

function languageFrom({ lang }: Texts, cookies: Texts, accepted: string | undefined): Language {
  return chooseLanguage(isLanguage(lang) ? lang : cookies[LANGUAGE_COOKIE], accepted)
}

/**
 * Where the assets are, as seen from a page. Relative, because only the proxy in front knows under which path the
 * service is reached.
 */
export function assetsFrom({ base, path }: Pick<Page, 'base' | 'path'>): string {
  if (`${path}/` === base) return `${path.slice(path.lastIndexOf('/') + 1)}/assets/`
  const below = path.slice(base.length).split('/').length - 1
  return `${'../'.repeat(below)}assets/`
}

/** Values of RFC 6265 cookies; of a name that comes twice the first, which is the one with the longer path. */
export function readCookies(header: string | undefined): Texts {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    if (name !== '') cookies[name] ??= pair.slice(at + 1).trim()
  }
  return cookies
}

async function readForm({ raw, headers }: Incoming): Promise<Texts | Refused> {
  const bytes = await readBytes(raw, FORM_LIMIT)
  if (bytes instanceof Refused) return bytes
  if (bytes.length === 0) return {}
  if (!FORM_TYPE.test(headers['content-type'] ?? '')) return refuse('unsupported_media_type')
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) form[name] ??= value
  return form
}

function firstOnes(query: unknown): Texts {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(query as Readonly<Record<string, string | string[]>>))
    texts[name] = (typeof value === 'string' ? value : value[0]) ?? ''
  return texts
}

/**
 * What browsers say by themselves and no script can change (Fetch Metadata, `Origin`). A request without either comes
 * from no browser of these years; the token in the form is asked for in any case.
 */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (typeof site === 'string') return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  return origin !== undefined && URL.parse(origin)?.host !== host?.toLowerCase()
}
