/**
 * What one line of the interface is here: what a client sends for it, what it is answered, and the tests that prove it.
 * `npm run generate` makes docs/api/coverage.md of all of them and refuses one without an endpoint or a proof;
 * `interface.test.ts` sends each as it is written.
 */

/** `<file below packages/server, without .test.ts> › <end of the test's title, with those around it>` */
export type Proof = string

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
  readonly proofs: readonly Proof[]
}

export type ErrorRow = {
  readonly at: readonly string[]
  readonly code: number
  readonly message: string
  readonly proofs: readonly Proof[]
}

export type RuleRow = {
  readonly rule: string
  readonly at: readonly string[]
  readonly proofs: readonly Proof[]
}

/** `user.key`, `user.note`, … */
export const each = (noun: string, members: string): string[] =>
  members.split(' ').map((member) => `${noun}.${member}`)
