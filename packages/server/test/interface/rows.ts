/** What a line of the interface says: what a client sends, and what it is answered. `interface.test.ts` holds both. */

/** A text that begins with a colon stands for that noun of the caller, as in a path. */
type Members = Readonly<Record<string, unknown>>

export type PathRow = {
  /** As the interface writes it: `GET /data/tiers`. */
  readonly at: string
  /** Every member that the interface gives it, in the query of a GET and in the body of a POST. */
  readonly sends?: Members
  /** Requests that have to go before it. */
  readonly before?: readonly (readonly [path: string, body?: Members])[]
  /** Another noun than the caller's own, made by what goes before. */
  readonly nouns?: Readonly<Record<string, string>>
  /** Members of the answer beside `success`; those of a noun after its name and a dot. */
  readonly answers: readonly string[]
}

/** A refusal that the interface lists: the number is its code at this endpoint. */
export type ErrorRow = readonly [at: string, code: number, message: string]

/** `user.key`, `user.note`, … */
export const each = (noun: string, members: string): string[] =>
  members.split(' ').map((member) => `${noun}.${member}`)
