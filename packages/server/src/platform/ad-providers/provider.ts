/** What an ad provider is: what its customers set, how visitors get there, and how it says that they saw the ads. */
import type { TObject } from 'typebox'

export type ProviderId = 'provider_a' | 'provider_b' | 'provider_c'

/** One line of the form in which a customer sets a provider up; `info` is only read. */
export type Setting = {
  readonly id: string
  readonly name: string
  readonly type: 'text' | 'toggle' | 'info'
  readonly info: string
  readonly required: boolean
}

/** What a customer set, checked and with all defaults. */
export type ProviderData = Readonly<Record<string, unknown>>

/** One visitor who is sent to a provider, or came back from it. */
export type Visit = {
  /** The owner's link at the provider. */
  readonly link: string
  readonly data: ProviderData
  /** Where the provider is to send the visitor afterwards. */
  readonly callback: string
  /** Secrets of this visit: one for the visitor's way back, one for what the provider says by itself. */
  readonly state: string
  readonly clickId: string
  readonly startedAt: number
  readonly now: number
}

/** `path` follows the provider's address. */
export type ProviderRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
export type Reply = { readonly status: number; readonly text: string }
export type Ask = (question: ProviderRequest) => Promise<Reply>

/** Where the visitor is sent, or that the owner's settings do not work there. */
export type Leaving = { readonly location: string } | { readonly failed: 'misconfigured' }

/** `address` is the visitor's as the provider saw it, so that it can be compared. */
export type Verdict =
  | { readonly verdict: 'passed'; readonly address?: string }
  | { readonly verdict: 'not_verified' | 'misconfigured' }

export type AdProvider = {
  readonly id: ProviderId
  /** The `description` of each member completes "must be …". */
  readonly dataSchema: TObject
  readonly settings: readonly Setting[]
  /** Members of the data that are never shown whole. */
  readonly secrets: readonly string[]
  /** What is wrong with members that are valid one by one: the member to change, and how. */
  faultOf?(data: ProviderData): { readonly member: string; readonly fix: string } | undefined
  /** What the customer does at the provider. */
  readonly about: string
  /** The shortest time in which its ads can be seen. */
  readonly minimumMs: number
  /** Of one request, and of all tries together. */
  readonly timeoutMs: number
  readonly totalMs: number
  /** The way back carries the state of the visit. */
  hasState(data: ProviderData): boolean
  /** The visitor has passed only when the provider has said so by itself. */
  needsPostback(data: ProviderData): boolean
  /** The token that the way back carries: undefined when it has to and does not, null where there is none. */
  tokenIn(query: Readonly<Record<string, string>>, data: ProviderData): string | null | undefined
  leave(visit: Visit, ask: Ask): Promise<Leaving>
  confirm(visit: Visit, token: string, ask: Ask): Promise<Verdict>
}
