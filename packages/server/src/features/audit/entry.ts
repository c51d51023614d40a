/** What the audit log keeps of a change. Source: `docs/audit.md`. */

/** `command_line` is an operator at the machine of the service. */
export type Actor = {
  readonly kind: 'api_key' | 'token' | 'person' | 'command_line' | 'job'
  /** Id of the token or the person; null where there is none. */
  readonly id: string | null
  /** As people know it: an e-mail address, the name of a token, the beginning of an API key. */
  readonly name: string
}

/** Before and after; `before` is absent where there was nothing to compare with. */
export type Change = { readonly before?: unknown; readonly after: unknown }

/** A change that a request or a job makes, as far as it is known before. */
export type Deed = {
  /** Account whose log it goes to; undefined for what concerns the service as a whole. */
  readonly customerId: string | undefined
  /** Undefined for requests without credentials. */
  readonly actor: Actor | undefined
  readonly address: string | undefined
  readonly requestId: string
  /** Name of the endpoint or of the job. */
  readonly action: string
  /** Ids of the nouns, by the names of the interface. */
  readonly nouns: Readonly<Record<string, string>>
  /** The noun as it was, where it is known, and the members that the request gives. */
  readonly before: Members | undefined
  readonly body: unknown
}

export type Members = Readonly<Record<string, unknown>>

/** What only the change itself knows. Ids are added to those of the deed; the last count counts. */
export type Note = {
  readonly nouns?: Readonly<Record<string, string>>
  /** How many rows a bulk change touched. */
  readonly count?: number
  /** For a request that says itself who makes it, such as a sign-in. */
  readonly actor?: Actor
  readonly customerId?: string
  /** The row as it was, for a change of a noun that is read only within its transaction. */
  readonly before?: Members
  /** Null in the request is a value, such as "no limit". Otherwise an edit leaves a member that is null as it is. */
  readonly isNullValue?: boolean
}
