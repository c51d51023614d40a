/** Builds the view to render from the visitor's situation. Read-only. */

import type { PageRequest } from '../../../api/page.ts'
import type { Deps } from '../../../deps.ts'
import { makeChallenge } from '../../abuse/captcha.ts'
import { formToken } from '../../abuse/form-tokens.ts'
import { clientUrls } from '../../executions/endpoints/addresses.ts'
import { listShownScripts } from '../../projects/brand.ts'
import { brandOn } from '../../public-pages/brands.ts'
import { adsBase, nameInAddress } from '../addresses.ts'
import { isMisconfigured } from '../misconfigured.ts'
import type { Notice, Refusal } from '../notices.ts'
import type { Action, Captcha, KeyView, OwnKey, Step, VisitorView } from '../pages/visitor-views.ts'
import { blockNow } from '../visits/blocks.ts'
import { captchaFor, powBits } from '../visits/captcha.ts'
import {
  ATTEMPT_MS,
  currentCheckpoint,
  isOut,
  isServed,
  phaseOf,
  type Situation,
  settle,
  WAITING_MS,
} from '../visits/progress.ts'
import { lookAhead } from '../visits/starts.ts'
import { fallbackOf } from '../visits/steps.ts'
import { readTicket } from '../visits/tickets.ts'
import { brandOfSystem, describeStep, listOwnKeys } from '../visits/view.ts'

export type Shown = {
  readonly request: PageRequest
  readonly deps: Deps
  readonly situation: Situation
  readonly presence: { readonly cookie: string }
}

/** Relative URL from the requested page to the root of the ad pages. */
export function rootOf({ assets }: PageRequest): string {
  return assets.slice(0, -'assets/'.length)
}

/** `notice` is the reason why this request was rejected. */
export async function viewOf(shown: Shown, notice?: Notice): Promise<VisitorView> {
  const { situation, request } = shown
  const unavailable = unavailableBy(shown)
  if (unavailable) return unavailable
  switch (phaseOf(situation)) {
    case 'walking':
      return stepView(shown, notice)
    case 'waiting':
      return waitingView(shown)
    case 'ready':
      return readyView(shown, notice)
    case 'issued':
      return request.query.again === undefined && notice === undefined
        ? ((await keyView(shown)) ?? landingView(shown, notice))
        : landingView(shown, notice)
    case 'expired':
      return landingView(shown, notice ?? { reason: 'progress_expired' })
    case 'none':
      return landingView(shown, notice)
  }
}

function unavailableBy(shown: Shown): VisitorView | undefined {
  const { deps, situation } = shown
  const { system, checkpoints, now } = situation
  const view = { ...frameOf(shown), kind: 'unavailable' } as const
  if (checkpoints.length === 0) return { ...view, reason: 'no_steps' }
  if (!isServed(system, now)) return { ...view, reason: 'account_expired' }
  const phase = phaseOf(situation)
  const step = currentCheckpoint(situation)
  const ahead = phase === 'walking' ? (step ? [step] : []) : phase === 'none' ? checkpoints : []
  const isBroken = ahead.some((one) => isMisconfigured(one, now) && !fallbackOf(deps, situation, one))
  return isBroken ? { ...view, reason: 'misconfigured' } : undefined
}

async function landingView(shown: Shown, given?: Notice): Promise<VisitorView> {
  const { request, deps, situation } = shown
  const { system, checkpoints, now } = situation
  const device = readTicket({ deps, projectId: system.project_id }, request.query.d ?? request.form.d)
  const { block, prospect } = await lookAhead(deps, deps.db.readPoint, situation, device)
  const keys = await ownKeys(shown)
  const isRefusedNow = given !== undefined && given.reason !== 'progress_expired'
  const refusal = isRefusedNow && !REPEATABLE.has(given.reason) ? given : block
  if (refusal) return { ...frameOf(shown), kind: 'refused', notice: refusal, keys }
  const captcha = captchaOf(shown)
  const steps = checkpoints.map((one): Step => ({ ...describeStep(deps, one), state: 'ahead' }))
  return {
    ...frameOf(shown),
    ...{ kind: 'landing', steps, keys },
    key_duration: system.key_duration,
    isForDevice: device !== undefined,
    start: startAction(shown, { isForDevice: device !== undefined, captcha }),
    ...(given ? { notice: given } : {}),
    ...(captcha ? { captcha } : {}),
    ...(prospect.kind === 'extend'
      ? { extends: { key_expires: prospect.key.key_expires ?? now, max_duration: system.max_duration } }
      : {}),
  }
}

/** Errors after which the visitor may retry immediately, so that the form is shown again. */
const REPEATABLE: ReadonlySet<Refusal> = new Set<Refusal>([
  'form_expired',
  'captcha_failed',
  'progress_expired',
])

function stepView(shown: Shown, given?: Notice): VisitorView {
  const { deps, situation } = shown
  const { progress, attempt, visitor, now } = situation
  const step = currentCheckpoint(situation)
  if (!progress || !step) throw new Error('a visitor with unfinished steps has a next step')
  const isAway = attempt?.step_id === step.id && isOut(attempt, now)
  const notice = given ?? (visitor && blockNow(deps, visitor)) ?? noticeOfStep(situation, step.id)
  const fallback = fallbackOf(deps, situation, step)
  const go: Action = { method: 'GET', href: hrefOf(shown, `go/${progress.id}`), fields: {} }
  const { minimumMs } = describeStep(deps, step)
  return {
    ...frameOf(shown),
    ...{ kind: 'step', steps: stepsOf(shown), go, isOut: isAway },
    minimum: minimumMs,
    expires_at: Math.min(progress.expires_at, isAway ? attempt.started_at + ATTEMPT_MS : progress.expires_at),
    ...(notice ? { notice } : {}),
    ...(fallback
      ? {
          fallback: {
            ...describeStep(deps, fallback),
            go: { ...go, href: hrefOf(shown, `go/${progress.id}`, 'fallback=1') },
          },
        }
      : {}),
  }
}

/** The result of the latest visit for this step. */
function noticeOfStep(
  { progress, attempt, checkpoints, now }: Situation,
  stepId: string,
): Notice | undefined {
  if (progress && settle(progress, checkpoints).isRestarted) return { reason: 'steps_removed' }
  if (attempt?.step_id === stepId) {
    if (attempt.state === 'stale') return { reason: 'step_changed' }
    if (attempt.state === 'waiting') return { reason: 'not_confirmed' }
    if (attempt.state === 'out' && !isOut(attempt, now)) return { reason: 'attempt_expired' }
  }
  return progress?.notice ? { reason: progress.notice as Refusal } : undefined
}

function waitingView(shown: Shown): VisitorView {
  const { attempt, system } = shown.situation
  const poll = hrefOf(shown, 'state', `system=${nameInAddress(system)}`)
  const until = (attempt?.returned_at ?? 0) + WAITING_MS
  return { ...frameOf(shown), kind: 'waiting', steps: stepsOf(shown), poll, until }
}

async function readyView(shown: Shown, notice?: Notice): Promise<VisitorView> {
  const { deps, situation } = shown
  const { progress, system } = situation
  if (!progress) throw new Error('a visitor who may claim a key has progress')
  const { prospect } = await lookAhead(deps, deps.db.readPoint, situation, progress.device ?? undefined)
  return {
    ...frameOf(shown),
    ...{ kind: 'ready', steps: stepsOf(shown) },
    claim: post(shown, `${nameInAddress(system)}/claim`),
    expires_at: progress.expires_at,
    ...(prospect.kind === 'extend' ? { extends: { key_expires: prospect.key.key_expires ?? 0 } } : {}),
    ...(notice ? { notice } : {}),
  }
}

/** Undefined if the owner has removed the key. */
async function keyView(shown: Shown): Promise<KeyView | undefined> {
  const { deps, situation, request } = shown
  const { progress, system, now } = situation
  const keys = await ownKeys(shown, progress?.device ?? null)
  const key = keys.find((one) => one.user_key === progress?.user_key)
  if (!progress || !key || isOver(key, now)) return undefined
  const urls = clientUrls(deps.config, request.origin.headers)
  const scripts = await listShownScripts(deps, system.project_id)
  const again = await againOf(shown)
  return {
    ...frameOf(shown),
    ...{ kind: 'key', key, isExtended: progress.extended === 1, isForDevice: progress.device !== null },
    loaders: scripts.map(({ id, name }) => ({ script: name, address: `${urls[0]}/loader/${id}` })),
    ...(again ? { again } : {}),
  }
}

function isOver({ key_expires, paused }: OwnKey, now: number): boolean {
  if (paused !== undefined) return paused.left === 0
  return key_expires !== null && key_expires <= now
}

async function againOf(shown: Shown): Promise<KeyView['again']> {
  const { deps, situation } = shown
  const { block } = await lookAhead(deps, deps.db.readPoint, situation)
  if (block !== undefined && block.allowedAt === undefined) return undefined
  const isAsked = captchaFor(deps, situation) !== undefined
  const page: Action = {
    method: 'GET',
    href: hrefOf(shown, nameInAddress(situation.system), 'again=1'),
    fields: {},
  }
  const action = isAsked ? page : startAction(shown, {})
  return block?.allowedAt === undefined ? { action } : { action, allowedAt: block.allowedAt }
}

type NamedKey = OwnKey & { readonly user_key: string }

async function ownKeys(shown: Shown, device: string | null = null): Promise<NamedKey[]> {
  const { deps, situation } = shown
  const keys = await listOwnKeys(deps, situation, device)
  return keys.map(({ mayUnlock, ...key }) => {
    if (!mayUnlock) return key
    const unlock = post(shown, `${nameInAddress(situation.system)}/unlock`, { key: key.user_key })
    return { ...key, unlock }
  })
}

function stepsOf({ deps, situation }: Shown): Step[] {
  const { progress, checkpoints } = situation
  if (!progress) return []
  const { plan, pos } = settle(progress, checkpoints)
  return plan.flatMap((id, index): Step[] => {
    const checkpoint = checkpoints.find((one) => one.id === id)
    if (!checkpoint) return [{ name: `${index + 1}`, provider: '', state: 'removed' }]
    const state = index < pos || progress.state !== 'walking' ? 'passed' : index === pos ? 'current' : 'ahead'
    return [{ ...describeStep(deps, checkpoint), state }]
  })
}

function captchaOf({ deps, situation, presence, request }: Shown): Captcha | undefined {
  const kind = captchaFor(deps, situation)
  if (kind === undefined) return undefined
  if (kind === 'pow')
    return { kind, challenge: makeChallenge(deps, presence.cookie), bits: powBits(deps, situation) }
  const ticket = request.query.d === undefined ? '' : `&d=${encodeURIComponent(request.query.d)}`
  const here = `${adsBase(deps.config)}/${nameInAddress(situation.system)}?again=1${ticket}`
  const page = deps.config.adsVerifier?.page ?? ''
  const href = `${page}${page.includes('?') ? '&' : '?'}return=${encodeURIComponent(here)}`
  return { kind, href, isSolved: (request.query.captcha ?? '') !== '' }
}

type Starting = { readonly isForDevice?: boolean; readonly captcha?: Captcha | undefined }

function startAction(shown: Shown, { isForDevice = false, captcha }: Starting): Action {
  const { query, form } = shown.request
  return post(shown, `${nameInAddress(shown.situation.system)}/start`, {
    ...(isForDevice ? { d: query.d ?? form.d ?? '' } : {}),
    ...(captcha?.kind === 'pow' ? { challenge: captcha.challenge } : {}),
    ...(captcha?.kind === 'external' ? { captcha: query.captcha ?? '' } : {}),
  })
}

function post(shown: Shown, path: string, fields: Readonly<Record<string, string>> = {}): Action {
  const csrf = formToken(shown.deps.secrets.pageKey, shown.presence.cookie)
  return { method: 'POST', href: hrefOf(shown, path), fields: { csrf, ...fields } }
}

function hrefOf({ request }: Shown, path: string, query = ''): string {
  return `${rootOf(request)}${path}${query === '' ? '' : `?${query}`}`
}

function frameOf({ request, situation }: Shown) {
  const { language, assets } = request
  const { system, now } = situation
  const brand = brandOfSystem(system)
  const project = brand.name ?? system.project_name
  return { language, assets, brand: brandOn(brand, assets), system: system.name, project, now }
}
