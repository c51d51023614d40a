/** One row of the interface: a request and its response, which `interface.test.ts` checks. */

/** As in a path, a string that starts with a colon stands for the caller's resource with that name. */
type Members = Readonly<Record<string, unknown>>

export type PathRow = {
  /** Method and path in the interface's notation: `GET /data/tiers`. */
  readonly at: string
  /** Every field that the interface defines: in the query for GET, and in the body for POST. */
  readonly sends?: Members
  /** Requests to send before the row's request. */
  readonly before?: readonly (readonly [path: string, body?: Members])[]
  /** Overrides a resource of the caller with one created by the preceding requests. */
  readonly nouns?: Readonly<Record<string, string>>
  /** Fields of the response in addition to `success`. Nested fields are written as `resource.field`. */
  readonly answers: readonly string[]
}

/** An error that the interface lists, with its code for this endpoint. */
export type ErrorRow = readonly [at: string, code: number, message: string]

/** Returns `user.key`, `user.note`, … */
export const each = (noun: string, members: string): string[] =>
  members.split(' ').map((member) => `${noun}.${member}`)
