/** Samples of every kind of visitor page, including each variant that looks different. */

import type { Notice, Refusal } from '../../src/features/ads/notices.ts'
import type { Action, OwnKey, Step, VisitorView } from '../../src/features/ads/pages/visitor-views.ts'
import type { Language } from '../../src/pages/language.ts'

const NOW = Date.UTC(2026, 5, 15, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
export const KEY = 'aZ4kQ9xW2mB7rT1yP6cV8nL3sD5fG0hJ'

/** Lists every reason. Add new reasons here too. */
const REFUSALS: Readonly<Record<Refusal, true>> = {
  too_fast: true,
  not_verified: true,
  other_address: true,
  wrong_step: true,
  not_confirmed: true,
  attempt_expired: true,
  step_changed: true,
  provider_down: true,
  progress_expired: true,
  steps_removed: true,
  form_expired: true,
  captcha_failed: true,
  too_many_starts: true,
  too_many_keys: true,
  too_many_own_keys: true,
  cooldown: true,
  too_many_failures: true,
  max_keys_reached: true,
  max_duration_reached: true,
  account_full: true,
}

type Samples = Readonly<Record<string, VisitorView>>

/** `name` is used wherever users can enter text. */
export function sampleViews(language: Language, name: string): Samples {
  const parts = partsOf(language, name)
  return {
    ...landings(parts),
    ...onTheWay(parts),
    ...refusals(parts),
    ...keys(parts),
    ...withoutSystem(parts),
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(language: Language, name: string) {
  const frame = { language, assets: '../assets/' }
  const step = (state: Step['state'], index: number): Step => ({
    name: `${name} ${index}`,
    provider: name,
    state,
  })
  const post: Action = { method: 'POST', href: 'garden/start', fields: { csrf: 'token', d: name } }
  const get: Action = { method: 'GET', href: 'go/attempt', fields: {} }
  const key: OwnKey = { key: KEY, key_expires: NOW + DAY, locked_until: null }
  return {
    ...{ name, frame, step, post, get, key },
    system: { ...frame, system: `${name} keys`, project: name, now: NOW },
    locked: { ...key, locked_until: NOW + DAY, unlock: { ...post, href: 'garden/unlock' } } as OwnKey,
    steps: [step('passed', 1), step('current', 2), step('ahead', 3)],
    notice: { reason: 'too_fast', allowedAt: NOW + 30_000 } as Notice,
  }
}

function landings({ system, step, post, key, locked, notice }: Parts): Samples {
  const landing = {
    ...system,
    kind: 'landing',
    steps: [step('ahead', 1), step('ahead', 2), step('ahead', 3)],
    key_duration: DAY,
    keys: [],
    isForDevice: false,
    start: post,
  } as const
  const verifier = { kind: 'external', href: 'https://verifier.example.com/' } as const
  return {
    landing,
    'landing to extend': {
      ...landing,
      keys: [key, locked],
      extends: { key_expires: NOW + DAY, max_duration: 7 * DAY },
      isForDevice: true,
      captcha: { kind: 'pow', challenge: 'abc', bits: 18 },
    },
    'landing with a verifier': { ...landing, notice, captcha: { ...verifier, isSolved: false } },
    'landing verified': { ...landing, captcha: { ...verifier, isSolved: true } },
  }
}

function onTheWay({ system, steps, step, post, get, notice, name }: Parts): Samples {
  const onStep = {
    ...system,
    kind: 'step',
    steps,
    go: get,
    isOut: false,
    minimum: 10_000,
    expires_at: NOW + HOUR,
  } as const
  const ready = {
    ...system,
    kind: 'ready',
    steps: [step('passed', 1), step('passed', 2), step('passed', 3)],
    claim: post,
    expires_at: NOW + HOUR / 2,
  } as const
  return {
    step: onStep,
    'step again': { ...onStep, isOut: true },
    'step refused': { ...onStep, isOut: true, notice, fallback: { name, provider: name, go: get } },
    'step removed': { ...onStep, steps: [step('removed', 1), ...steps.slice(1)] },
    waiting: { ...system, kind: 'waiting', steps, poll: '../state', until: NOW + 60_000 },
    ready,
    'ready to extend': { ...ready, extends: { key_expires: NOW + DAY }, notice: { reason: 'form_expired' } },
  }
}

function refusals({ system, key, get }: Parts): Samples {
  const reasons = Object.keys(REFUSALS) as Refusal[]
  const refused = (notice: Notice): VisitorView => ({
    ...system,
    kind: 'refused',
    notice,
    keys: [key],
    back: get,
  })
  return {
    ...Object.fromEntries(reasons.map((reason) => [`refused ${reason}`, refused({ reason })])),
    'refused for a while': refused({ reason: 'too_many_starts', allowedAt: NOW + HOUR }),
  }
}

function keys({ system, key, locked, post, name }: Parts): Samples {
  const address = 'https://scripts.example.com/client/v1/loader/scr_0VMc4VLkH7r'
  const owned = {
    ...system,
    kind: 'key',
    key,
    isExtended: false,
    isForDevice: true,
    loaders: [{ script: name, address }],
  } as const
  return {
    key: owned,
    'key extended': {
      ...owned,
      key: locked,
      isExtended: true,
      isForDevice: false,
      again: { action: post, allowedAt: NOW + 60_000 },
    },
    'key for ever': { ...owned, key: { ...key, key_expires: null }, again: { action: post } },
  }
}

function withoutSystem({ frame, name }: Parts): Samples {
  const reasons = ['no_steps', 'misconfigured', 'account_expired', 'provider_down'] as const
  const unavailable = reasons.map((reason): [string, VisitorView] => [
    reason,
    { ...frame, kind: 'unavailable', system: name, reason },
  ])
  return {
    'no cookie': { ...frame, kind: 'same-browser', reason: 'no_cookie' },
    'other browser': { ...frame, kind: 'same-browser', reason: 'other_browser' },
    'not found': { ...frame, kind: 'unavailable', reason: 'not_found' },
    ...Object.fromEntries(unavailable),
  }
}
