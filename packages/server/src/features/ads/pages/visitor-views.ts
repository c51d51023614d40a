/**
 * What the pages of ad systems show, one type for each page. `visitor-page.ts` renders them and adds words, plurals and
 * formats of times.
 */

import type { Frame } from '../../../pages/frame.ts'
import type { Notice } from '../notices.ts'

/** The address of a script's loader. */
export type Loader = { readonly script: string; readonly address: string }

/** Times are milliseconds since 1970 by the service's clock, durations are milliseconds. */
export type VisitorView =
  | LandingView
  | StepView
  | WaitingView
  | RefusedView
  | ReadyView
  | KeyView
  | SameBrowserView
  | UnavailableView

/** Common to all pages of a system. */
type OfSystem = Frame & {
  /** The name that its owner chose. */
  readonly system: string
  readonly project: string
  readonly now: number
}

/** A link or a form, relative to the page; each of `fields` is a hidden field of the form, the CSRF token among them. */
export type Action = {
  readonly method: 'GET' | 'POST'
  readonly href: string
  readonly fields: Readonly<Record<string, string>>
}

export type Step = {
  readonly name: string
  /** The label that the operator gave to the provider. */
  readonly provider: string
  /** A `removed` step was taken out by the owner meanwhile and need not be passed. */
  readonly state: 'passed' | 'current' | 'ahead' | 'removed'
}

/** A key that this visitor earned here before. */
export type OwnKey = {
  readonly key: string
  /** Null never expires. */
  readonly key_expires: number | null
  /** Until when its first use has to come from the network it was earned in; null when it is bound to nothing. */
  readonly locked_until: number | null
  /** Gives the key to the network of this visit; missing when there is nothing to unlock, or not from here. */
  readonly unlock?: Action
}

/**
 * The captcha of a form. `pow`: find a text `solution` such that SHA-256
 * of `{challenge}:{solution}` begins with `bits` zero bits, and send it as the field `solution` beside the action's own
 * fields; it needs JavaScript, and the page says so. `external`: `href` leads to the verifier, which leads back here with
 * an answer; `isSolved` when it has, and the answer is then among the action's fields.
 */
export type Captcha =
  | { readonly kind: 'pow'; readonly challenge: string; readonly bits: number }
  | { readonly kind: 'external'; readonly href: string; readonly isSolved: boolean }

/** Before the first step: what to expect. */
export type LandingView = OfSystem & {
  readonly kind: 'landing'
  readonly steps: readonly Step[]
  readonly key_duration: number
  /** The start extends a key of the visitor instead of making one; this is how long it may last at most. */
  readonly extends?: { readonly key_expires: number; readonly max_duration: number }
  readonly keys: readonly OwnKey[]
  /** Came with a ticket from a script, so the key will be for that device. */
  readonly isForDevice: boolean
  readonly captcha?: Captcha
  readonly notice?: Notice
  readonly start: Action
}

/** One step is to be passed. */
export type StepView = OfSystem & {
  readonly kind: 'step'
  readonly steps: readonly Step[]
  /** Leads to the provider. */
  readonly go: Action
  /** Another provider for the same step; only when the provider of the step does not answer. */
  readonly fallback?: { readonly name: string; readonly provider: string; readonly go: Action }
  /** The visitor was sent out before and has not come back yet, or closed the tab. */
  readonly isOut: boolean
  /** How long the page of the provider has to be open at least. */
  readonly minimum: number
  readonly expires_at: number
  readonly notice?: Notice
}

/** Back from the provider, whose own confirmation has not come yet. */
export type WaitingView = OfSystem & {
  readonly kind: 'waiting'
  readonly steps: readonly Step[]
  /** JSON `{ "state": text }` with a GET; anything but `waiting` means that the page is to be loaded again. */
  readonly poll: string
  readonly until: number
}

/** Nothing can be done now, and why. */
export type RefusedView = OfSystem & {
  readonly kind: 'refused'
  readonly notice: Notice
  readonly keys: readonly OwnKey[]
  /** Back to the system; missing where that would only say the same. */
  readonly back?: Action
}

/** All steps passed; the key is there to be taken. */
export type ReadyView = OfSystem & {
  readonly kind: 'ready'
  readonly steps: readonly Step[]
  readonly claim: Action
  /** The key that will be extended instead of a new one. */
  readonly extends?: { readonly key_expires: number }
  readonly expires_at: number
  readonly notice?: Notice
}

/** The key that was just earned, or extended; shown again to the same visitor as long as it lasts. */
export type KeyView = OfSystem & {
  readonly kind: 'key'
  readonly key: OwnKey
  readonly isExtended: boolean
  readonly isForDevice: boolean
  /** Of the scripts that the author shows; the key is the global `script_key`. */
  readonly loaders: readonly Loader[]
  /** Another way through the steps, to extend the key or to earn one more; missing when neither is possible. */
  readonly again?: { readonly action: Action; readonly allowedAt?: number }
}

/** Came back from a provider in another browser or network than the visitor left in; nothing was lost or gained. */
export type SameBrowserView = Frame & {
  readonly kind: 'same-browser'
  readonly reason: 'no_cookie' | 'other_browser'
}

/** The visitor can do nothing about it. */
export type UnavailableView = Frame & {
  readonly kind: 'unavailable'
  /** Missing when there is no such system. */
  readonly system?: string
  readonly reason: 'not_found' | 'no_steps' | 'misconfigured' | 'account_expired' | 'provider_down'
}
