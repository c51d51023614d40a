/** What goes into a build and what comes out of it. */
import type { obfuscate, Report, Slot } from '@scriptward/obfuscator'

/** `serviceKey` is what locks are opened with; without it nothing is locked under a key of the service. */
export type ObfuscationOptions = Omit<NonNullable<Parameters<typeof obfuscate>[1]>, 'servicePad'> & {
  readonly serviceKey?: Uint8Array
}

/** What a split build is besides its whole text; `at` is the place of the data's first byte in that. */
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
  /** For a watermark: places of the text that stand in the payload as they are. */
  readonly slots: readonly Slot[]
  /** Null when it is one piece. */
  readonly split: SplitBuild | null
  /** Bytes of the pad of each lock; empty when nothing is locked. */
  readonly pads: readonly number[]
  readonly report: Report
  readonly durationMs: number
}

export type Complaint = { readonly param: string; readonly message: string }

/** `busy`: too much is waiting already, or the service is stopping; nothing was tried. */
export type Outcome = Protected | { readonly errors: readonly Complaint[] } | 'busy'
