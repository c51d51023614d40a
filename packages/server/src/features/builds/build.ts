/** The input and output of a build. The pool exchanges them with its processes and the smoke test. */
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

/** `serviceKey` decrypts the locks. Without it, nothing is locked with a server key. */
type ObfuscationOptions = Omit<NonNullable<Parameters<typeof obfuscate>[1]>, 'servicePad'> & {
  readonly serviceKey?: Uint8Array
}

/**
 * A build whose data is separate from its interpreter. `at` is the position of the data's first byte in the
 * complete output.
 */
export type SplitBuild = {
  /** One raw LZ4 block of `size` bytes of ASCII. */
  readonly data: Uint8Array
  readonly size: number
  readonly at: number
  /** The interpreter in packed form, for loaders. Null if it is too large for them. */
  readonly interpreter: string | null
}

/** A built script: `payload` is one raw LZ4 block of `size` bytes of ASCII. */
export type Protected = {
  readonly payload: Uint8Array
  readonly size: number
  /** Watermark slots. Their positions in the output are literals of the payload. */
  readonly slots: readonly Slot[]
  /** Marks that identify the first slots in a decompiled copy. */
  readonly orders: OrderMarks
  /** Numbers that differ between keys. Their positions, too, are literals of the payload. */
  readonly numbers: ServedNumbers
  /** Null if the build is not split. */
  readonly split: SplitBuild | null
  /** Literals of the payload that only server keys can decrypt. Empty if nothing is locked. */
  readonly locks: readonly LockPlace[]
  /** Messages that the script sends to Discord channels. */
  readonly messages: readonly Message[]
  /** Functions and tables that the script calls on the server. */
  readonly serverCode: readonly ServerCode[]
  /** The line table, packed by `line-table.ts`. */
  readonly lineTable: Uint8Array
  readonly report: Report
  readonly durationMs: number
  /** The build as embedded in loaders. Null unless the source is a loader. */
  readonly loader: string | null
  /** The unprotected script that a test compares the build with. Null without a test. */
  readonly expanded: string | null
  /**
   * The unprotected script, in which every suggested function reports its calls. Null without a test or
   * suggestions.
   */
  readonly watched: string | null
}

export type Complaint = { readonly param: string; readonly message: string }

/** `isExhausted`: the build exceeded the deadline or the memory limit, and may be charged for. */
export type FailedBuild = { readonly errors: readonly Complaint[]; readonly isExhausted?: boolean }

/**
 * A string means that the build was not attempted. `busy`: the queue is full, the server is stopping, or the
 * caller disconnected. `too_many`: the owner has too many waiting builds.
 */
export type BuildOutcome = Protected | FailedBuild | 'busy' | 'too_many'

export type BuildRequest = {
  /** Owners take turns. An owner is an account ID, or some other name for the server's own builds. */
  readonly owner: string
  readonly source: Source
  readonly options: ObfuscationOptions
  /** If set, the build is returned only if it behaves like the source in this test. */
  readonly test?: string | null
  /** Whether the source belongs to a loader. Loaders are served packed. */
  readonly isLoader?: boolean
  /** Cancels the build: removes it from the queue, or kills its process. */
  readonly signal?: AbortSignal | undefined
}

export type Task = {
  readonly source: Source
  readonly options: ObfuscationOptions
  /** Whether a test also needs the unprotected source. */
  readonly isTested?: boolean
  readonly isLoader?: boolean
}
