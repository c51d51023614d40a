/** What goes into a build of a script and what comes out, as the pool, its processes and the proof pass it around. */
import type { LockPlace, Message, OrderMarks, obfuscate, Report, Slot, Source } from '@scriptward/obfuscator'

/** `serviceKey` opens the locks; without it nothing is locked under a key of the service. */
type ObfuscationOptions = Omit<NonNullable<Parameters<typeof obfuscate>[1]>, 'servicePad'> & {
  readonly serviceKey?: Uint8Array
}

/** The parts of a split build; `at` is the place of the data's first byte in the whole text. */
export type SplitBuild = {
  /** One raw LZ4 block of `size` bytes of ASCII. */
  readonly data: Uint8Array
  readonly size: number
  readonly at: number
  /** Packed for loaders; null when it is too large for them. */
  readonly interpreter: string | null
}

/** A built script: `payload` is one raw LZ4 block of `size` bytes of ASCII. */
export type Protected = {
  readonly payload: Uint8Array
  readonly size: number
  /** For the watermark: places of the text that are literals of the payload. */
  readonly slots: readonly Slot[]
  /** How the first slots are read in a text that was lifted. */
  readonly orders: OrderMarks
  /** Null for a build in one piece. */
  readonly split: SplitBuild | null
  /** Literals of the payload that only keys of the service open; empty when nothing is locked. */
  readonly locks: readonly LockPlace[]
  /** What it sends to chat channels. */
  readonly messages: readonly Message[]
  /** The line table, as `line-table.ts` packs it. */
  readonly lineTable: Uint8Array
  readonly report: Report
  readonly durationMs: number
  /** The build as loaders carry it; null unless it was ordered as a loader. */
  readonly loader: string | null
  /** What a test compares the build with; null without a test. */
  readonly expanded: string | null
}

export type Complaint = { readonly param: string; readonly message: string }

/** `isExhausted`: it reached the deadline or the memory limit, so it took as much of the machine as a script may. */
export type FailedBuild = { readonly errors: readonly Complaint[]; readonly isExhausted?: boolean }

/**
 * Neither of the words was tried. `busy`: the queue is full, the service is stopping, or the caller went away.
 * `too_many`: the owner has too many builds that wait.
 */
export type BuildOutcome = Protected | FailedBuild | 'busy' | 'too_many'

export type BuildRequest = {
  /** Owners take turns: a customer's id, or a name that no customer has. */
  readonly owner: string
  readonly source: Source
  readonly options: ObfuscationOptions
  /** With a test, a build is returned only if it behaves in the test as the source does. */
  readonly test?: string | null
  /** Whether the source is that of a loader, which is served packed. */
  readonly isLoader?: boolean
  /** Drops the build while it waits, and kills it while it runs. */
  readonly signal?: AbortSignal | undefined
}

/** One job of a process. */
export type Task = {
  readonly source: Source
  readonly options: ObfuscationOptions
  /** Whether a test needs the source without protection too. */
  readonly isTested?: boolean
  readonly isLoader?: boolean
}
