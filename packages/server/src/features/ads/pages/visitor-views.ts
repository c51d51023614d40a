/**
 * View models of the ad pages, one type per page. `visitor-page.ts` renders them and adds text, plurals and time
 * formats.
 */

import type { Frame } from '../../../pages/frame.ts'
import type { Notice } from '../notices.ts'

export type Loader = { readonly script: string; readonly address: string }

/** Times are milliseconds since 1970 by the server's clock; durations are in milliseconds. */
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

/**
 * A link or a form, relative to the page. Each of `fields` is a hidden field of the form, including the CSRF token.
 */
export type Action = {
  readonly method: 'GET' | 'POST'
  readonly href: string
  readonly fields: Readonly<Record<string, string>>
}

export type Step = {
  readonly name: string
  /** The label that the operator gave to the provider. */
  readonly provider: string
  /** A `removed` step was deleted by the owner in the meantime and need not be passed. */
  readonly state: 'passed' | 'current' | 'ahead' | 'removed'
}

/** A key that this visitor earned here earlier. */
export type OwnKey = {
  readonly key: string
  /** Null when the key never expires. */
  readonly key_expires: number | null
  /** Deadline by which the first use must come from the network where the key was earned; null without a lock. */
  readonly locked_until: number | null
  /** Moves the lock to the network of this visit; missing when nothing can be unlocked here. */
  readonly unlock?: Action
}

/**
 * The captcha of a form. `pow`: find a `solution` such that SHA-256 of `{challenge}:{solution}` begins with `bits`
 * zero bits, and send it as the field `solution` with the action's own fields. It needs JavaScript, and the page
 * mentions that. `external`: `href` links to the verifier, which redirects back here with a token. `isSolved` is then
 * true, and the token is among the action's fields.
 */
export type Captcha =
  | { readonly kind: 'pow'; readonly challenge: string; readonly bits: number }
  | { readonly kind: 'external'; readonly href: string; readonly isSolved: boolean }

/** Shown before the first step: what to expect. */
export type LandingView = OfSystem & {
  readonly kind: 'landing'
  readonly steps: readonly Step[]
  readonly key_duration: number
  /** Set when the start extends a key of the visitor instead of creating one; includes the maximum duration. */
  readonly extends?: { readonly key_expires: number; readonly max_duration: number }
  readonly keys: readonly OwnKey[]
  /** The visitor came with a ticket from a script, so the key will be bound to that device. */
  readonly isForDevice: boolean
  readonly captcha?: Captcha
  readonly notice?: Notice
  readonly start: Action
}

/** Shows the step to be passed next. */
export type StepView = OfSystem & {
  readonly kind: 'step'
  readonly steps: readonly Step[]
  /** Links to the provider. */
  readonly go: Action
  /** Another provider for the same step; only set when the step's own provider does not respond. */
  readonly fallback?: { readonly name: string; readonly provider: string; readonly go: Action }
  /** The visitor was sent to the provider earlier and has not come back yet, or closed the tab. */
  readonly isOut: boolean
  /** Minimum time to keep the provider's page open. */
  readonly minimum: number
  readonly expires_at: number
  readonly notice?: Notice
}

/** The visitor is back from the provider, but the provider's confirmation has not arrived yet. */
export type WaitingView = OfSystem & {
  readonly kind: 'waiting'
  readonly steps: readonly Step[]
  /** GET returns the JSON `{ "state": string }`. For any state but `waiting`, the page must be reloaded. */
  readonly poll: string
  readonly until: number
}

/** The visitor cannot continue now; includes the reason. */
export type RefusedView = OfSystem & {
  readonly kind: 'refused'
  readonly notice: Notice
  readonly keys: readonly OwnKey[]
  /** Links back to the system; missing where the page would only show the same notice. */
  readonly back?: Action
}

/** All steps are passed and the key can be claimed. */
export type ReadyView = OfSystem & {
  readonly kind: 'ready'
  readonly steps: readonly Step[]
  readonly claim: Action
  /** The key that will be extended instead of creating a new one. */
  readonly extends?: { readonly key_expires: number }
  readonly expires_at: number
  readonly notice?: Notice
}

/** The key that was just earned or extended. The same visitor sees it again until it expires. */
export type KeyView = OfSystem & {
  readonly kind: 'key'
  readonly key: OwnKey
  readonly isExtended: boolean
  readonly isForDevice: boolean
  /** Loaders of the scripts that the author shows. The key is the global `script_key`. */
  readonly loaders: readonly Loader[]
  /** Repeats the steps, to extend the key or to earn another one; missing when neither is possible. */
  readonly again?: { readonly action: Action; readonly allowedAt?: number }
}

/** The visitor came back in a different browser or network than they left in. Their progress is unchanged. */
export type SameBrowserView = Frame & {
  readonly kind: 'same-browser'
  readonly reason: 'no_cookie' | 'other_browser'
}

/** An error that the visitor cannot resolve. */
export type UnavailableView = Frame & {
  readonly kind: 'unavailable'
  /** Missing when the system does not exist. */
  readonly system?: string
  readonly reason: 'not_found' | 'no_steps' | 'misconfigured' | 'account_expired' | 'provider_down'
}
