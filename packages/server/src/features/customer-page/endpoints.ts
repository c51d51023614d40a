/**
 * `/me`, the self-service page of a key. Customers can see the key's state, unbind its device and end
 * sessions. Each form redirects back to the page, so reloading the page does not repeat an action.
 */

import { type Page, type PageAnswer, type PageRequest, seeOther } from '../../api/page.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { formToken, isFormToken } from '../abuse/form-tokens.ts'
import { findOwnLock, unlockOwn } from '../ads/visits/key-locks.ts'
import { clientUrls } from '../executions/endpoints/addresses.ts'
import { findBrand } from '../projects/brand.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { assetsPage } from '../public-pages/assets.ts'
import { brandOn } from '../public-pages/brands.ts'
import { writeCookie } from '../public-pages/cookies.ts'
import { presenceFrom } from '../public-pages/presence.ts'
import { listPublicNotes } from '../scripts/store/script-versions.ts'
import type { ScriptName } from '../scripts/store/scripts.ts'
import { type Notice, renderSelfService, renderSignIn } from './pages/self-service-page.ts'
import {
  describeOwn,
  endOwnSession,
  findOwn,
  limitSelfService,
  listOwnScripts,
  nameOwnDevice,
  releaseOwnDevice,
  resetOwnFingerprint,
} from './self-service.ts'
import { closeVisit, newVisit, type OwnVisit, openVisit, sealVisit, VISIT_MS } from './self-service-visit.ts'

const PATH = '/me'
const BASE = '/me/'
/** The page's own URL, relative to itself. */
const HERE = 'me'
const FORM_COOKIE = 'sw_form'
const VISIT_COOKIE = 'sw_visit'
const FORM_COOKIE_BYTES = 16
/** Maximum number of release notes shown. */
const MAX_NEWS = 10
const COOKIE = /^[\w-]{22}$/

export const ownPages: readonly Page[] = [
  { name: 'own.show', method: 'GET', path: PATH, base: BASE, handle: show },
  { name: 'own.do', method: 'POST', path: PATH, base: BASE, handle: perform },
  assetsPage(BASE),
]

async function show(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const limited = await limitSelfService(deps, request.origin.address)
  if (limited) return refuseMany(request, deps, limited)
  const visit = await openVisit<Notice>(deps, request.cookies[VISIT_COOKIE])
  const subject = visit && (await findVisitor(deps, visit, request))
  if (visit === undefined) return signIn(request, deps, { status: 200, notice: undefined })
  if (subject instanceof Refused) return refuseMany(request, deps, subject)
  if (subject === undefined) return endVisit(request, deps)
  const { cookie, csrf, headers } = formOf(request, deps)
  const { notice } = visit
  const own = await describeOwn(deps, subject, request.origin.address)
  const lock = await findOwnLock(deps, subject, presenceFrom(request))
  const shown = notice === undefined ? [] : [visitCookie(deps, { ...visit, notice: undefined })]
  const branded = await brandedOf(request, deps, subject.project.id)
  const scripts = await listOwnScripts(deps, subject)
  const listed = { loaders: loadersOf(request, deps, scripts), news: await newsOf(deps, scripts) }
  const text = renderSelfService({ ...own, ...branded, ...listed, lock, csrf, notice, now: deps.now() })
  const accent = branded.brand?.accent
  return { status: 200, text, accent, headers: { ...headers, 'set-cookie': [cookie, ...shown] } }
}

/** Project data that the page shows in addition to the key. */
async function brandedOf({ language, assets }: PageRequest, deps: Deps, projectId: string | undefined) {
  const brand = projectId === undefined ? undefined : await findBrand(deps, projectId)
  if (brand === undefined) return { language, assets, brand }
  return { language, assets, brand: brandOn(brand, assets), project_name: brand.name }
}

function loadersOf({ origin }: PageRequest, deps: Deps, scripts: readonly ScriptName[]) {
  const [url] = clientUrls(deps.config, origin.headers)
  return scripts.map(({ id, name }) => ({ script: name, address: `${url}/loader/${id}` }))
}

function newsOf({ db }: Deps, scripts: readonly ScriptName[]) {
  return listPublicNotes(
    db.read,
    scripts.map(({ id }) => id),
    MAX_NEWS,
  )
}

async function perform(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const { form, cookies } = request
  const limited = await limitSelfService(deps, request.origin.address)
  if (limited) return refuseMany(request, deps, limited)
  const { pageKey } = deps.secrets
  if (request.isForeign || !isFormToken(pageKey, cookies[FORM_COOKIE] ?? '', form.csrf))
    return signIn(request, deps, { status: 403, notice: 'stale_form' })
  if (form.do === 'open') return open(request, deps)
  if (form.do === 'close') return close(request, deps)
  const visit = await openVisit<Notice>(deps, cookies[VISIT_COOKIE])
  const subject = visit && (await findVisitor(deps, visit, request))
  if (visit === undefined || subject === undefined || subject instanceof Refused) return seeOther(HERE)
  return back(deps, { ...visit, notice: await noticeOf(deps, subject, request) })
}

/**
 * Sets a new random form cookie together with the visit cookie, so that form tokens from an earlier visit
 * don't work with this key.
 */
async function open(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const key = (request.form.key ?? '').trim()
  const subject = await findOwn(deps, { key, project: projectOf(request) }, request.origin.address)
  if (subject instanceof Refused) return refuseMany(request, deps, subject)
  if (subject === undefined) return signIn(request, deps, { status: 403, notice: 'unknown_key' })
  if (subject === 'several') return signIn(request, deps, { status: 409, notice: 'which_project' })
  const visit = newVisit(deps, { key, project: subject.project.id })
  const fresh = cookieOf(deps, FORM_COOKIE, newFormCookie(deps))
  return seeOther(HERE, { 'set-cookie': [fresh, visitCookie(deps, visit)] })
}

async function close({ cookies }: PageRequest, deps: Deps): Promise<PageAnswer> {
  await closeVisit(deps, cookies[VISIT_COOKIE])
  return seeOther(HERE, { 'set-cookie': cookieOf(deps, VISIT_COOKIE, '', 0) })
}

async function findVisitor(
  deps: Deps,
  { key, project }: OwnVisit<Notice>,
  request: PageRequest,
): Promise<UserSubject | Refused<'rate_limited'> | undefined> {
  const subject = await findOwn(deps, { key, project }, request.origin.address)
  return subject === 'several' ? undefined : subject
}

/** Returns the project in the link's query or in the submitted form. */
function projectOf({ query, form }: PageRequest): string | undefined {
  return (form.project ?? query.project ?? '').trim() || undefined
}

type Action = {
  readonly run: (deps: Deps, subject: UserSubject, request: PageRequest) => Promise<unknown>
  readonly done: Notice
  readonly refused: Notice
}

const RESET: Action = {
  run: (deps, subject, { origin }) => resetOwnFingerprint(deps, subject, origin.address),
  done: 'reset_done',
  refused: 'reset_refused',
}
const RELEASE: Action = {
  run: (deps, subject, { form, origin }) =>
    releaseOwnDevice(deps, subject, form.device ?? '', origin.address),
  done: 'release_done',
  refused: 'reset_refused',
}
const NAME: Action = {
  run: (deps, subject, { form }) =>
    nameOwnDevice(deps, subject, { id: form.device ?? '', name: form.name ?? '' }),
  done: 'device_named',
  refused: 'name_refused',
}
const END: Action = {
  run: (deps, subject, { form }) => endOwnSession(deps, subject, form.session ?? ''),
  done: 'session_ended',
  refused: 'session_gone',
}
/** Actions by the form's `do` value. Any other value is treated as a request to end a nonexistent session. */
const ACTIONS = new Map<string | undefined, Action>([
  ['reset', RESET],
  ['release', RELEASE],
  ['name', NAME],
])

async function noticeOf(deps: Deps, subject: UserSubject, request: PageRequest): Promise<Notice> {
  const { form } = request
  if (form.do === 'unlock') return (await unlock(deps, subject, request)) ? 'unlock_refused' : 'unlocked'
  const { run, done, refused } = ACTIONS.get(form.do) ?? END
  const outcome = await run(deps, subject, request)
  if (!(outcome instanceof Refused)) return done
  return outcome.reason === 'rate_limited' ? 'too_many' : refused
}

function unlock(deps: Deps, subject: UserSubject, request: PageRequest) {
  return unlockOwn(deps, subject, presenceFrom(request))
}

type SignIn = { readonly status: number; readonly notice: Notice | undefined; readonly waitMs?: number }

async function signIn(request: PageRequest, deps: Deps, { status, ...view }: SignIn): Promise<PageAnswer> {
  const { cookie, csrf, headers } = formOf(request, deps)
  const project = projectOf(request)
  const branded = await brandedOf(request, deps, project)
  const text = renderSignIn({ ...branded, ...view, csrf, project })
  return { status, text, accent: branded.brand?.accent, headers: { ...headers, 'set-cookie': cookie } }
}

/** Ends the visit of a key that was removed after the customer entered it. */
async function endVisit(request: PageRequest, deps: Deps): Promise<PageAnswer> {
  const { headers, ...answer } = await signIn(request, deps, { status: 403, notice: 'unknown_key' })
  const cookies = [headers?.['set-cookie'] ?? [], cookieOf(deps, VISIT_COOKIE, '', 0)].flat()
  return { ...answer, headers: { ...headers, 'set-cookie': cookies } }
}

async function refuseMany(request: PageRequest, deps: Deps, { members }: Refused): Promise<PageAnswer> {
  const seconds = Number(members.retry_after)
  const answer = await signIn(request, deps, { status: 429, notice: 'too_many', waitMs: seconds * 1000 })
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}

/** Returns the browser's form cookie, or a new one, and the form token derived from it. */
function formOf({ cookies }: PageRequest, deps: Deps) {
  const known = cookies[FORM_COOKIE] ?? ''
  const value = COOKIE.test(known) ? known : newFormCookie(deps)
  const headers = { 'referrer-policy': 'same-origin' }
  const csrf = formToken(deps.secrets.pageKey, value)
  return { cookie: cookieOf(deps, FORM_COOKIE, value), csrf, headers }
}

function newFormCookie(deps: Deps): string {
  return deps.random(FORM_COOKIE_BYTES).toString('base64url')
}

function back(deps: Deps, visit: OwnVisit<Notice>): PageAnswer {
  return seeOther(HERE, { 'set-cookie': visitCookie(deps, visit) })
}

function visitCookie(deps: Deps, visit: OwnVisit<Notice>): string {
  const seconds = Math.max(0, Math.ceil((visit.since + VISIT_MS - deps.now()) / 1000))
  return cookieOf(deps, VISIT_COOKIE, sealVisit(deps, visit), seconds)
}

function cookieOf({ config }: Deps, name: string, value: string, seconds?: number): string {
  const cookie = { name, value, path: PATH, ...(seconds !== undefined && { seconds }) }
  return writeCookie(config, config.baseUrl, cookie)
}
