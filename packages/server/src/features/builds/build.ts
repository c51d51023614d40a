/** Input and output of a script's build, as exchanged by the pool, its processes and the smoke test. */
import type {
  LockPlace,
  Message,
  OrderMarks,
  obfuscate,
  Report,
  ServedNumbers,
  ServerCode,
  Slot,
  Source,
} from '@scriptward/obfuscator'

/** `serviceKey` opens the locks; without it nothing is locked under a server key. */
type ObfuscationOptions = Omit<NonNullable<Parameters<typeof obfuscate>[1]>, 'servicePad'> & {
  readonly serviceKey?: Uint8Array
}

/** The parts of a split build; `at` is the position of the data's first byte in the complete output. */
export type SplitBuild = {
  /** One raw LZ4 block of `size` bytes of ASCII. */
  readonly data: Uint8Array
  readonly size: number
  readonly at: number
  /** Packed for loaders; null when it is too large. */
  readonly interpreter: string | null
}

/** A built script: `payload` is one raw LZ4 block of `size` bytes of ASCII. */
export type Protected = {
  readonly payload: Uint8Array
  readonly size: number
  /** Watermark slots: positions in the output that are literals of the payload. */
  readonly slots: readonly Slot[]
  /** Marks that identify the first slots in a lifted copy. */
  readonly orders: OrderMarks
  /** Numbers that differ between keys. Their positions are literals of the payload too. */
  readonly numbers: ServedNumbers
  /** Null for a build in one piece. */
  readonly split: SplitBuild | null
  /** Literals of the payload that only server keys can decrypt; empty if nothing is locked. */
  readonly locks: readonly LockPlace[]
  /** Messages that the script sends to Discord channels. */
  readonly messages: readonly Message[]
  /** Functions and tables that the script calls on the server. */
  readonly serverCode: readonly ServerCode[]
  /** The line table, packed by `line-table.ts`. */
  readonly lineTable: Uint8Array
  readonly report: Report
  readonly durationMs: number
  /** The build in the form that loaders contain; null unless a loader was requested. */
  readonly loader: string | null
  /** The unprotected reference that a test compares the build with; null without a test. */
  readonly expanded: string | null
  /** The reference in which every suggested function reports its calls; null without a test or suggestions. */
  readonly watched: string | null
}

export type Complaint = { readonly param: string; readonly message: string }

/** `isExhausted`: the build reached the deadline or the memory limit, and may be charged. */
export type FailedBuild = { readonly errors: readonly Complaint[]; readonly isExhausted?: boolean }

/**
 * With either string, the build was never attempted. `busy`: the queue is full, the server is stopping, or
 * the caller disconnected. `too_many`: the owner has too many waiting builds.
 */
export type BuildOutcome = Protected | FailedBuild | 'busy' | 'too_many'

export type BuildRequest = {
  /** Owners take turns. The owner is an account's ID, or a name that no account has. */
  readonly owner: string
  readonly source: Source
  readonly options: ObfuscationOptions
  /** With a test, a build is returned only if it behaves like the source in the test. */
  readonly test?: string | null
  /** Whether the source belongs to a loader, which is served packed. */
  readonly isLoader?: boolean
  /** Drops the build if it is waiting, and kills it if it is running. */
  readonly signal?: AbortSignal | undefined
}

/** A job for one process. */
export type Task = {
  readonly source: Source
  readonly options: ObfuscationOptions
  /** Whether a test also needs the unprotected source. */
  readonly isTested?: boolean
  readonly isLoader?: boolean
}
