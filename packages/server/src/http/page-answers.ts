/**
 * From a page's declaration to the answer that a browser gets: what is common to all pages is in the headers, and whatever
 * goes wrong is told in words for people.
 */
import type { Deps } from '../deps.ts'
import { Refused, refuse } from '../domain/refusals.ts'
import type { Page, PageAnswer, PageRequest } from '../endpoints/page.ts'
import { PAGE_POLICY } from '../pages/assets.ts'
import { isLanguage } from '../pages/language.ts'
import { renderProblem } from '../pages/problem-page.ts'
import { isUnavailable } from '../store/dialect.ts'
import type { Answer } from './answer.ts'
import { assetsFrom, LANGUAGE_COOKIE, languageOf, readPageRequest } from './page-requests.ts'
import type { Incoming } from './walk.ts'

const HTML = 'text/html; charset=utf-8'

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': PAGE_POLICY,
  // Not `no-referrer`, which takes the origin from the page's own forms too.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-language, cookie',
}

/** `failed` is told what was thrown, and which texts of the request may not be repeated. */
export async function answerPage(
  deps: Deps,
  page: Page,
  request: Incoming,
  failed: (thrown: unknown, secrets: readonly string[]) => void,
): Promise<Answer> {
  let read: PageRequest | Refused | undefined
  try {
    read = await readPageRequest(page, request)
    if (read instanceof Refused) return problem(page, request, read)
    return answerOf(keepLanguage(deps, read, await page.handle(read, deps)))
  } catch (thrown) {
    failed(thrown, secretsOf(read))
    return problem(page, request, refuse(isUnavailable(thrown) ? 'unavailable' : 'internal'))
  }
}

function answerOf({ status, text, isAscii = false, contentType = HTML, headers }: PageAnswer): Answer {
  return { status, body: text, isAscii, contentType, headers: { ...HEADERS, ...headers } }
}

const YEAR_SECONDS = 31_536_000

/** Remembers a language that was chosen just now. */
function keepLanguage({ config }: Deps, { query, cookies }: PageRequest, answer: PageAnswer): PageAnswer {
  const { lang } = query
  if (!isLanguage(lang) || cookies[LANGUAGE_COOKIE] === lang) return answer
  const isSecure = (config.adsUrl ?? config.baseUrl ?? '').startsWith('https:')
  const cookie = `${LANGUAGE_COOKIE}=${lang}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`
  const others = answer.headers?.['set-cookie'] ?? []
  const all = [others, isSecure ? `${cookie}; Secure` : cookie].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': all } }
}

function problem(page: Page, request: Incoming, { status }: Refused): Answer {
  const frame = { language: languageOf(request), assets: assetsFrom(page) }
  return answerOf({ status, text: renderProblem(frame, status < 500 ? 'unreadable' : 'failed') })
}

function secretsOf(read: PageRequest | Refused | undefined): string[] {
  if (read === undefined || read instanceof Refused) return []
  return [read.params, read.query, read.form, read.cookies].flatMap((texts) => Object.values(texts))
}
