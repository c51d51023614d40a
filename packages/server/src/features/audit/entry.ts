/** The content of audit entries. Source: `docs/audit.md`. */

/** `command_line` is an operator on the server's machine. `chat` is a user of the project's Discord bot. */
export type Actor = {
  readonly kind: 'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'
  /** ID of the token, the user or the Discord account. Null for other actors. */
  readonly id: string | null
  /** Human-readable name: an email address, a token's name, or the first characters of an API key. */
  readonly name: string
}

/** `before` is absent if the previous value is unknown. */
export type Change = { readonly before?: unknown; readonly after: unknown }

/** Details of a change by a request or a job that are known before the change is made. */
export type Deed = {
  /** The account whose log gets the entry. Undefined for server-wide changes. */
  readonly customerId: string | undefined
  /** Undefined for requests without credentials. */
  readonly actor: Actor | undefined
  readonly address: string | undefined
  readonly requestId: string
  /** Name of the endpoint or the job. */
  readonly action: string
  /** IDs of the affected resources, keyed by their names in the API. */
  readonly nouns: Readonly<Record<string, string>>
  /** The resource before the change, if known. */
  readonly before: Members | undefined
  readonly body: unknown
}

export type Members = Readonly<Record<string, unknown>>

/**
 * Details that only the change itself can provide. IDs are added to those in `Deed`. The last count replaces
 * earlier ones.
 */
export type Note = {
  readonly nouns?: Readonly<Record<string, string>>
  /** Number of rows that a bulk change affected. */
  readonly count?: number
  /** Set by requests that determine their actor themselves, such as a login. */
  readonly actor?: Actor
  readonly customerId?: string
  /** The row before the change, for resources that are read only inside the transaction. */
  readonly before?: Members
  /**
   * Whether null in the request is a value, such as "no limit". Otherwise, null leaves the field unchanged.
   */
  readonly isNullValue?: boolean
}
