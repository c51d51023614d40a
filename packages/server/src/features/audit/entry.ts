/** The content of audit entries. Source: `docs/audit.md`. */

/** `command_line` is an operator on the server's machine, `chat` someone who uses the project's Discord bot. */
export type Actor = {
  readonly kind: 'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'
  /** ID of the token, the user or the Discord account; null for other actors. */
  readonly id: string | null
  /** Human-readable name: an email address, the name of a token, or the beginning of an API key. */
  readonly name: string
}

/** `before` is absent when there was nothing to compare with. */
export type Change = { readonly before?: unknown; readonly after: unknown }

/** The details of a change by a request or a job that are known in advance. */
export type Deed = {
  /** The account whose log gets the entry; undefined for changes to the server as a whole. */
  readonly customerId: string | undefined
  /** Undefined for requests without credentials. */
  readonly actor: Actor | undefined
  readonly address: string | undefined
  readonly requestId: string
  /** Name of the endpoint or the job. */
  readonly action: string
  /** IDs of the affected resources, under the names of the interface. */
  readonly nouns: Readonly<Record<string, string>>
  /** The resource before the change, where known, and the fields of the request. */
  readonly before: Members | undefined
  readonly body: unknown
}

export type Members = Readonly<Record<string, unknown>>

/** Details that only the change itself knows. IDs are added to the known ones; the last count wins. */
export type Note = {
  readonly nouns?: Readonly<Record<string, string>>
  /** The number of rows that a bulk change affected. */
  readonly count?: number
  /** Set by requests that determine their actor themselves, such as a login. */
  readonly actor?: Actor
  readonly customerId?: string
  /** The row before the change, for resources that are read only within the transaction. */
  readonly before?: Members
  /** Whether null in the request is a value such as "no limit". Otherwise an edit leaves a null field unchanged. */
  readonly isNullValue?: boolean
}
