/**
 * Pages for browsers that the server renders, and the URL of the ad pages. The API does not depend on this
 * module.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Page, PageAnswer, PageRequest } from '../../api/page.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { cookiePrefix, readCookies, writeCookie } from '../../features/public-pages/cookies.ts'
import { policyOf } from '../../pages/brand.ts'
import { chooseLanguage, findLanguage, type Language } from '../../pages/language.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import { findBadText } from '../bodies/body.ts'
import { compressAnswer } from '../bodies/compression.ts'
import { refuseThrown, respond, respondNotFound } from '../respond.ts'

type Texts = Readonly<Record<string, string>>
type Failed = (request: FastifyRequest, thrown: unknown, secrets: readonly string[]) => void

const HTML = 'text/html; charset=utf-8'
const RENDERED_HEADERS: Texts = {
  // `no-referrer` would also remove the origin from the page's own form submissions.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-language, cookie',
}
/** Maximum size of a submitted form. A key, a token and a captcha response are several hundred bytes each. */
const FORM_LIMIT = 16 * 1024
const FORM_TYPE = /^application\/x-www-form-urlencoded *(;|$)/i
/** Stores the chosen language, for forms and for redirects back from other sites. */
const LANGUAGE_COOKIE = 'sw_lang'
const YEAR_SECONDS = 31_536_000

/** `failed` records a page's exception, after removing the given request strings. */
export function addPage(app: FastifyInstance, deps: Deps, page: Page, failed: Failed): void {
  const prefix = cookiePrefix(deps.config)
  const problem = (request: FastifyRequest, reply: FastifyReply, status: number) => {
    const frame = { language: languageOf(request, prefix), assets: assetsFrom(page) }
    const text =
      status < 500 ? renderProblem(frame, 'unreadable') : renderProblem(frame, 'failed', request.id)
    return sendPage(reply, { status, text })
  }
  app.route({
    // Monitors may use HEAD on pages that are the same for everyone. On other pages, a GET may advance a
    // visit.
    method: page.isPublic && page.method === 'GET' ? ['GET', 'HEAD'] : page.method,
    url: page.path,
    bodyLimit: FORM_LIMIT,
    ...(page.isPublic && { onSend: compressAnswer }),
    errorHandler: (error: FastifyError, request, reply) => {
      const { statusCode = 500 } = error
      if (statusCode < 500) return problem(request, reply, statusCode)
      failed(request, error, secretsOf(request))
      return problem(request, reply, refuseThrown(error).status)
    },
    handler: async (request, reply) => {
      const read = readPageRequest(page, request, prefix)
      if (read instanceof Refused) return problem(request, reply, read.status)
      return sendPage(reply, rememberLanguage(deps, read, await page.handle(read, deps)))
    },
  })
}

/** Responds with 404: a page for a browser, a JSON error for any other client. */
export function respondUnknown(reply: FastifyReply): FastifyReply {
  const { request } = reply
  if (!wantsPage(request.raw)) return respondNotFound(reply)
  const text = renderProblem({ language: languageOf(request, ''), assets: null }, 'not_found')
  return sendPage(reply, { status: 404, text })
}

const API_PATHS = /^\/(v1|client|customers|projects|users|scripts|adsystems|data|metrics)(\/|\?|$)/

function wantsPage({ method = '', url = '', headers }: IncomingMessage): boolean {
  return /^(GET|HEAD)$/.test(method) && /\btext\/html\b/.test(headers.accept ?? '') && !API_PATHS.test(url)
}

function sendPage(reply: FastifyReply, { status, text, contentType = HTML, accent, headers }: PageAnswer) {
  const policy = { 'content-security-policy': policyOf(accent) }
  const all = { ...policy, ...RENDERED_HEADERS, ...headers }
  return respond(reply, { status, body: text, contentType, headers: all })
}

function rememberLanguage({ config }: Deps, { query, cookies }: PageRequest, answer: PageAnswer): PageAnswer {
  const lang = findLanguage(query.lang)
  if (lang === undefined || cookies[LANGUAGE_COOKIE] === lang) return answer
  const cookie = { name: LANGUAGE_COOKIE, value: lang, seconds: YEAR_SECONDS }
  const line = writeCookie(config, config.adsUrl ?? config.baseUrl, cookie)
  const all = [answer.headers?.['set-cookie'] ?? [], line].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': all } }
}

function secretsOf(request: FastifyRequest): string[] {
  const form = readForm(request)
  const texts = [request.params as Texts, firstValues(request.query), readCookies(request.headers.cookie, '')]
  return [...texts, form instanceof Refused ? {} : form].flatMap((one) => Object.values(one))
}

function readPageRequest(page: Page, request: FastifyRequest, prefix: string): PageRequest | Refused {
  const { headers } = request
  const query = firstValues(request.query)
  const form = page.method === 'GET' ? {} : readForm(request)
  if (form instanceof Refused) return form
  const params = request.params as Texts
  if (findBadText({ params, query, form }, 'request')) return refuse('invalid_request')
  return {
    params,
    query,
    form,
    cookies: readCookies(headers.cookie, prefix),
    language: languageOf(request, prefix),
    assets: assetsFrom(page),
    isForeign: isForeign(headers),
    origin: { requestId: request.id, address: request.ip, headers },
  }
}

function readForm({ body, headers }: FastifyRequest): Texts | Refused {
  if (!(body instanceof Buffer) || body.length === 0) return {}
  if (!FORM_TYPE.test(headers['content-type'] ?? '')) return refuse('unsupported_media_type')
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) form[name] ??= value
  return form
}

function languageOf({ query, headers }: FastifyRequest, prefix: string): Language {
  const { lang } = firstValues(query ?? {})
  const chosen = findLanguage(lang) ?? readCookies(headers.cookie, prefix)[LANGUAGE_COOKIE]
  return chooseLanguage(chosen, headers['accept-language'])
}

/** Returns a path relative to the page, because only the proxy knows the server's public path. */
function assetsFrom({ base, path: pagePath }: Pick<Page, 'base' | 'path'>): string {
  if (`${pagePath}/` === base) return `${pagePath.slice(pagePath.lastIndexOf('/') + 1)}/assets/`
  const below = pagePath.slice(base.length).split('/').length - 1
  return `${'../'.repeat(below)}assets/`
}

function firstValues(query: unknown): Texts {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(query as Readonly<Record<string, string | string[]>>))
    texts[name] = (typeof value === 'string' ? value : value[0]) ?? ''
  return texts
}

/**
 * Returns whether another site sent the request, based on headers that browsers set and scripts can't change
 * (Fetch Metadata, `Origin`). Every current browser sends at least one of them. The form token is always
 * checked as well.
 */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (typeof site === 'string') return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  return origin !== undefined && URL.parse(origin)?.host !== host?.toLowerCase()
}

/* The path of the ad pages, which may be on their own host. */

const ADS_PATH = '/ads/'

type Addresses = Pick<Config, 'adsUrl' | 'baseUrl'>
type Requested = Pick<IncomingMessage, 'url' | 'headers'>

/**
 * Returns a function that maps a URL on the ad pages' host to the path that the router knows. Returns
 * undefined if no URL needs rewriting, for example because a proxy already rewrites paths or because the ad
 * pages are served under `/ads/` on every host.
 */
export function adsRewrite({ adsUrl, baseUrl }: Addresses): ((requested: Requested) => string) | undefined {
  const own = adsUrl === undefined ? null : URL.parse(adsUrl)
  const prefix = own?.pathname.replace(/\/$/, '') ?? ''
  // On the same host, ad pages without a path would shadow everything else.
  const isApart = own !== null && (prefix !== '' || own.host !== URL.parse(baseUrl ?? '')?.host)
  if (!isApart) return undefined
  return ({ url = '/', headers }) => {
    const isTheirs = headers.host?.toLowerCase() === own.host && url.startsWith(`${prefix}/`)
    return isTheirs && !url.startsWith(ADS_PATH) ? ADS_PATH + url.slice(prefix.length + 1) : url
  }
}
