/**
 * The interface of an ad provider: its settings, how visitors are sent to it, and how it confirms that they
 * saw the ads.
 */
import type { TObject } from 'typebox'

export type ProviderId = 'provider_a' | 'provider_b' | 'provider_c'

/** One row of the form for configuring a provider. `info` is read-only. */
export type Setting = {
  readonly id: string
  readonly name: string
  readonly type: 'text' | 'toggle' | 'info'
  readonly info: string
  readonly required: boolean
}

/** An account's settings, validated and with all defaults. */
export type ProviderData = Readonly<Record<string, unknown>>

/** A visitor on the way to or from a provider. */
export type Visit = {
  /** The link that the owner created on the provider's site. */
  readonly link: string
  readonly data: ProviderData
  /** The URL that the provider sends the visitor to afterward. */
  readonly callback: string
  /** Secrets for this visit: one for the visitor's return, and one for the provider's postback. */
  readonly state: string
  readonly clickId: string
  readonly startedAt: number
  readonly now: number
}

/** `path` is relative to the provider's URL. */
export type ProviderRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
export type Reply = { readonly status: number; readonly text: string }
export type Ask = (question: ProviderRequest) => Promise<Reply>

/** The redirect for the visitor, or a failure if the provider rejects the owner's settings. */
export type Leaving = { readonly location: string } | { readonly failed: 'misconfigured' }

/** `address` is the visitor's IP address as seen by the provider, for comparison. */
export type Verdict =
  | { readonly verdict: 'passed'; readonly address?: string }
  | { readonly verdict: 'not_verified' | 'misconfigured' }

/** A link to create for the author through the provider's API. */
export type LinkOrder = {
  readonly title: string
  readonly destination: string
  readonly data: ProviderData
  /** Category of the ads that visitors see, from 1 (the mildest) to 3 (the highest paying). */
  readonly adTier: number
  /** Number of ads that visitors complete. */
  readonly tasks: number
}

export type LinkResult = { readonly url: string } | { readonly failed: 'rejected' }

export type AdProvider = {
  readonly id: ProviderId
  /** The `description` of each field completes "must be …". */
  readonly dataSchema: TObject
  readonly settings: readonly Setting[]
  /** Fields that are always masked when shown. */
  readonly secrets: readonly string[]
  /**
   * Finds invalid combinations of individually valid fields. Returns the field to change, and how to change
   * it.
   */
  faultOf?(data: ProviderData): { readonly member: string; readonly fix: string } | undefined
  /** Instructions for setting up the link on the provider's site. */
  readonly about: string
  /** The shortest time in which the provider's ads can be completed. */
  readonly minimumMs: number
  /** Timeouts for one request and for all attempts combined. */
  readonly timeoutMs: number
  readonly totalMs: number
  /** Whether the callback includes the visit's state. */
  hasState(data: ProviderData): boolean
  /** Whether the step is completed only after a postback from the provider. */
  needsPostback(data: ProviderData): boolean
  /**
   * The token in the callback: undefined if a required token is missing, and null if the provider uses none.
   */
  tokenIn(query: Readonly<Record<string, string>>, data: ProviderData): string | null | undefined
  leave(visit: Visit, ask: Ask): Promise<Leaving>
  confirm(visit: Visit, token: string, ask: Ask): Promise<Verdict>
  /** Creates a link through the provider's API. Absent if its API can't create links. */
  createLink?(order: LinkOrder, ask: Ask): Promise<LinkResult>
  /**
   * A well-formed token that the provider never issued, for tests. Undefined if the provider doesn't use
   * tokens.
   */
  forgeToken?(random: Buffer): string
}
