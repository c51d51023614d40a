/**
 * Pages of ad systems. Visitors start, leave for a provider, come back and claim their key. Providers confirm
 * visits. Each form redirects to the system's page, which shows the visitor's progress.
 */

import { type Page, type PageAnswer, type PageRequest, seeOther } from '../../../api/page.ts'
import type { Deps } from '../../../deps.ts'
import { renderProblem } from '../../../pages/problem-page.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { isFormToken } from '../../abuse/form-tokens.ts'
import { assetsPage } from '../../public-pages/assets.ts'
import { writeCookie } from '../../public-pages/cookies.ts'
import { presenceFrom, VISITOR_COOKIE } from '../../public-pages/presence.ts'
import { nameInAddress } from '../addresses.ts'
import type { Notice } from '../notices.ts'
import { renderVisitorPage } from '../pages/visitor-page.ts'
import type { VisitorView } from '../pages/visitor-views.ts'
import type { VisitedAdSystem } from '../store/ad-systems.ts'
import { claimKey, unlockKey } from '../visits/claims.ts'
import { type PostbackAnswer, receivePostback } from '../visits/postbacks.ts'
import { findSituationOf, findSystem, phaseOf, readSituation, type Situation } from '../visits/progress.ts'
import { comeBack } from '../visits/returns.ts'
import { startProgress } from '../visits/starts.ts'
import { depart } from '../visits/steps.ts'
import { readTicket } from '../visits/tickets.ts'
import { COOKIE_BYTES, type Presence } from '../visits/visitors.ts'
import { rootOf, viewOf } from './ad-views.ts'
import { LandingCache } from './landing-cache.ts'

const BASE = '/ads/'
/** Lifetime of the visitor cookie. */
const COOKIE_SECONDS = 30 * 86_400

type PageDeps = Deps & { readonly landings: LandingCache }

/** A visitor and the system that they requested. */
type Visit = {
  readonly request: PageRequest
  readonly deps: PageDeps
  readonly system: VisitedAdSystem
  readonly situation: Situation
  readonly presence: Presence & { readonly cookie: string }
}

export function adPages(): Page[] {
  const landings = new LandingCache()
  const page = (
    name: string,
    method: Page['method'],
    path: string,
    handle: (request: PageRequest, deps: PageDeps) => Promise<PageAnswer>,
  ): Page => ({
    ...{ name: `ads.${name}`, method, path: BASE + path, base: BASE },
    handle: (request, deps) => limited(request, { ...deps, landings }, handle),
  })
  return [
    page('show', 'GET', ':system', ofSystem(show)),
    page('start', 'POST', ':system/start', ofSystem(checked(start))),
    page('claim', 'POST', ':system/claim', ofSystem(checked(claim))),
    page('unlock', 'POST', ':system/unlock', ofSystem(checked(unlock))),
    // A rejected form leaves the browser on the form's URL. Reloading it redirects to the system's page.
    ...['start', 'claim', 'unlock'].map((form) => page('back', 'GET', `:system/${form}`, ofSystem(back))),
    page('go', 'GET', 'go/:progress', go),
    page('state', 'GET', 'state', ofSystem(state)),
    page('verify', 'GET', 'verify/:callback', verify),
    ...(['GET', 'POST'] as const).map((method) => ({
      ...{ name: 'ads.postback', method, path: `${BASE}postback/:postback`, base: BASE },
      handle: postback,
    })),
    assetsPage(BASE),
  ]
}

async function limited(
  request: PageRequest,
  deps: PageDeps,
  handle: (request: PageRequest, deps: PageDeps) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const refused = await limitAddress(deps, 'adPageAddress', request.origin.address)
  if (!refused) return handle(request, deps)
  const headers = { 'retry-after': String(refused.members.retry_after) }
  return { status: 429, text: renderProblem(request, 'too_many'), headers }
}

/** Loads the system named in the path or query. Sets a cookie for visitors who don't have a valid one. */
function ofSystem(handle: (visit: Visit) => Promise<PageAnswer>) {
  return async (request: PageRequest, deps: PageDeps): Promise<PageAnswer> => {
    const name = request.params.system ?? request.query.system ?? ''
    const system = await findSystem(deps, name)
    if (!system) return notFound(request)
    const seen = presenceFrom(request)
    const situation = await readSituation(deps, system, seen)
    const { cookie } = seen
    if (cookie !== undefined && !situation.isElsewhere) {
      return handle({ request, deps, system, situation, presence: { ...seen, cookie } })
    }
    // A visitor without a cookie, or with one copied from another browser, gets a new cookie. The copied
    // cookie stays valid in its original browser.
    const presence = { ...seen, cookie: deps.random(COOKIE_BYTES).toString('base64url') }
    // A visitor with a new cookie cannot have earned anything, so nothing is looked up.
    const fresh = { ...situation, presence: { ...seen, cookie: undefined }, isElsewhere: false }
    const answer = await handle({ request, deps, system, situation: fresh, presence })
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookieOf(deps, presence.cookie) } }
  }
}

/** Accepts only forms that this server rendered for this browser (CSRF protection). */
function checked(handle: (visit: Visit) => Promise<PageAnswer>) {
  return async (visit: Visit): Promise<PageAnswer> => {
    const { request, deps, presence } = visit
    const { pageKey } = deps.secrets
    const isOurs = !request.isForeign && isFormToken(pageKey, presence.cookie, request.form.csrf)
    return isOurs ? handle(visit) : answer(visit, { reason: 'form_expired' })
  }
}

async function show(visit: Visit): Promise<PageAnswer> {
  return answer(visit)
}

async function start(visit: Visit): Promise<PageAnswer> {
  const { request, deps, situation, presence, system } = visit
  const { d, challenge = '', solution = '', captcha = '' } = request.form
  const device = readTicket({ deps, projectId: system.project_id }, d)
  const proof = { challenge, solution, answer: captcha }
  const notice = await startProgress(deps, situation, presence, { device, proof })
  return notice ? answer(visit, notice) : back(visit)
}

async function claim(visit: Visit): Promise<PageAnswer> {
  const notice = await claimKey(visit.deps, visit.situation)
  return notice ? answer(visit, notice) : back(visit)
}

async function unlock(visit: Visit): Promise<PageAnswer> {
  await unlockKey(visit.deps, visit.situation, visit.request.form.key ?? '')
  return back(visit)
}

/** The page polls this endpoint while it waits for the provider. */
async function state({ situation }: Visit): Promise<PageAnswer> {
  const text = JSON.stringify({ state: phaseOf(situation) })
  return { status: 200, text, contentType: 'application/json; charset=utf-8' }
}

async function go(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const presence = presenceFrom(request)
  const situation = await findSituationOf(deps, request.params.progress ?? '', presence)
  if (situation === undefined) return notFound(request)
  const departure = await depart(deps, situation, request.query.fallback === '1')
  if (departure !== 'moved' && 'location' in departure)
    return { status: 302, text: '', headers: { location: departure.location } }
  return seeOther(addressOf(request, situation.system))
}

async function verify(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const { language, assets } = request
  const found = await comeBack(deps, request.params.callback ?? '', presenceFrom(request), request.query)
  if (found === 'not_found') return notFound(request)
  if (typeof found === 'object') return seeOther(addressOf(request, found.back))
  return rendered({ kind: 'same-browser', language, assets, reason: found }, 403)
}

const POSTBACK_STATUS: Readonly<Record<PostbackAnswer, number>> = {
  ok: 200,
  duplicate: 200,
  malformed: 400,
  unsigned: 403,
  not_found: 404,
}

async function postback({ params, query, form, origin }: PageRequest, deps: Deps): Promise<PageAnswer> {
  const refused = await limitAddress(deps, 'adPostbackAddress', origin.address)
  const contentType = 'text/plain; charset=utf-8'
  if (refused) {
    const headers = { 'retry-after': String(refused.members.retry_after) }
    return { status: 429, text: 'later', contentType, headers }
  }
  const word = await receivePostback(deps, params.postback ?? '', { ...query, ...form })
  return { status: POSTBACK_STATUS[word], text: word, contentType }
}

async function answer(visit: Visit, notice?: Notice): Promise<PageAnswer> {
  const view = await viewOf(visit, notice)
  const text = visit.deps.landings.render(view)
  return { status: notice === undefined ? 200 : 409, text, accent: view.brand?.accent }
}

function rendered(view: VisitorView, status: number): PageAnswer {
  return { status, text: renderVisitorPage(view) }
}

function notFound({ language, assets }: PageRequest): PageAnswer {
  return rendered({ kind: 'unavailable', language, assets, reason: 'not_found' }, 404)
}

async function back({ request, system }: Visit): Promise<PageAnswer> {
  return seeOther(addressOf(request, system))
}

function addressOf(request: PageRequest, system: VisitedAdSystem): string {
  return `${rootOf(request)}${nameInAddress(system)}`
}

/** Not `Strict`, because the navigation back from a provider starts on another site. */
function cookieOf({ config }: Deps, value: string): string {
  const cookie = { name: VISITOR_COOKIE, value, seconds: COOKIE_SECONDS }
  return writeCookie(config, config.adsUrl ?? config.baseUrl, cookie)
}
