/**
 * View models of the ad pages, one type per page. `visitor-page.ts` renders them, and adds messages, plurals
 * and date formats.
 */

import type { Frame } from '../../../pages/frame.ts'
import type { Notice } from '../notices.ts'

export type Loader = { readonly script: string; readonly address: string }

/** Times are milliseconds since 1970 by the server's clock. Durations are in milliseconds. */
export type VisitorView =
  | LandingView
  | StepView
  | WaitingView
  | RefusedView
  | ReadyView
  | KeyView
  | SameBrowserView
  | UnavailableView

/** Fields common to all pages of a system. */
type OfSystem = Frame & {
  /** The name that the owner gave the system. */
  readonly system: string
  readonly project: string
  readonly now: number
}

/**
 * A link or a form. `href` is relative to the page, and `fields` are the form's hidden fields, including the
 * CSRF token.
 */
export type Action = {
  readonly method: 'GET' | 'POST'
  readonly href: string
  readonly fields: Readonly<Record<string, string>>
}

export type Step = {
  readonly name: string
  /** The operator's label for the provider. */
  readonly provider: string
  /** A `removed` step was deleted by the owner during the visit and no longer has to be completed. */
  readonly state: 'passed' | 'current' | 'ahead' | 'removed'
}

/** A key that this visitor has already earned. */
export type OwnKey = {
  readonly key: string
  /** Null if the key never expires. */
  readonly key_expires: number | null
  /** Set if the author paused the key, with its remaining milliseconds, or null if it never expires. */
  readonly paused?: { readonly left: number | null }
  /**
   * Deadline for the first use, which must come from the network where the key was earned. Null if the key
   * isn't locked.
   */
  readonly locked_until: number | null
  /** Moves the lock to the visitor's current network. Omitted if nothing can be unlocked here. */
  readonly unlock?: Action
}

/**
 * A form's captcha. `pow`: find a `solution` such that the SHA-256 hash of `{challenge}:{solution}` begins
 * with `bits` zero bits, and send it in the `solution` field with the action's own fields. The page states
 * that this requires JavaScript. `external`: `href` links to the verifier, which redirects back with a token.
 * `isSolved` is then true, and the token is among the action's fields.
 */
export type Captcha =
  | { readonly kind: 'pow'; readonly challenge: string; readonly bits: number }
  | { readonly kind: 'external'; readonly href: string; readonly isSolved: boolean }

/** The page before the first step, which explains what to expect. */
export type LandingView = OfSystem & {
  readonly kind: 'landing'
  readonly steps: readonly Step[]
  readonly key_duration: number
  /**
   * Set if completing the steps extends an existing key instead of creating one. Includes the maximum
   * duration.
   */
  readonly extends?: { readonly key_expires: number; readonly max_duration: number }
  readonly keys: readonly OwnKey[]
  /** Whether the visitor has a ticket from a script. If so, the key is bound to the ticket's device. */
  readonly isForDevice: boolean
  readonly captcha?: Captcha
  readonly notice?: Notice
  readonly start: Action
}

/** The page for the next step. */
export type StepView = OfSystem & {
  readonly kind: 'step'
  readonly steps: readonly Step[]
  /** The link to the provider. */
  readonly go: Action
  /** Another provider for the same step, offered only while the step's own provider is down. */
  readonly fallback?: { readonly name: string; readonly provider: string; readonly go: Action }
  /** Whether the visitor left for the provider and has not returned. */
  readonly isOut: boolean
  /** Minimum time that the visitor must spend on the provider's page. */
  readonly minimum: number
  readonly expires_at: number
  readonly notice?: Notice
}

/** The visitor is back from the provider, but the provider's confirmation hasn't arrived yet. */
export type WaitingView = OfSystem & {
  readonly kind: 'waiting'
  readonly steps: readonly Step[]
  /**
   * URL that returns the JSON `{ "state": string }`. Reload the page when the state is no longer `waiting`.
   */
  readonly poll: string
  readonly until: number
}

/** The visitor can't continue now. The view explains why. */
export type RefusedView = OfSystem & {
  readonly kind: 'refused'
  readonly notice: Notice
  readonly keys: readonly OwnKey[]
  /** Link to the system's page. Omitted if that page would show the same notice. */
  readonly back?: Action
}

/** All steps are completed, and the key can be claimed. */
export type ReadyView = OfSystem & {
  readonly kind: 'ready'
  readonly steps: readonly Step[]
  readonly claim: Action
  /** Set if an existing key will be extended rather than a new one created. */
  readonly extends?: { readonly key_expires: number }
  readonly expires_at: number
  readonly notice?: Notice
}

/** The key that was just earned or extended. The visitor can return to this page until the key expires. */
export type KeyView = OfSystem & {
  readonly kind: 'key'
  readonly key: OwnKey
  readonly isExtended: boolean
  readonly isForDevice: boolean
  /** Loaders of the scripts that the author lists. They read the key from the `script_key` global. */
  readonly loaders: readonly Loader[]
  /** Restarts the steps to extend the key or earn another. Omitted if neither is possible. */
  readonly again?: { readonly action: Action; readonly allowedAt?: number }
}

/** The visitor came back in a different browser or from a different network. Their progress is unchanged. */
export type SameBrowserView = Frame & {
  readonly kind: 'same-browser'
  readonly reason: 'no_cookie' | 'other_browser'
}

/** An error that the visitor cannot resolve. */
export type UnavailableView = Frame & {
  readonly kind: 'unavailable'
  /** Omitted if the system does not exist. */
  readonly system?: string
  readonly reason: 'not_found' | 'no_steps' | 'misconfigured' | 'account_expired' | 'provider_down'
}
