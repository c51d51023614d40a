/** The context shared by the passes of one run and the modules that they use. */

import type { Diagnostics } from './diagnostics.ts'
import type { Service } from './lock-keystream.ts'
import type { Random } from './random.ts'
import type { CapacityOf } from './semantics/capacity.ts'
import type { Symbols } from './semantics/symbols.ts'
import type { Target } from './semantics/target.ts'
import type { Node, SymbolId } from './syntax/ast.ts'
import type { Variation } from './varied-numbers/variation.ts'

/** Properties of the source before any pass has run. */
export type SourceFacts = {
  /** Size of the source in bytes. Passes may add a fraction of it to the output. */
  readonly size: number
  readonly lines: number
  /** Whether `--!hot` marks the entire script as performance-critical. */
  readonly isHot: boolean
  /** Whether some functions are marked `@native` and therefore stay unchanged. */
  readonly hasNativeFunctions: boolean
  /** Whether the source contains this string. Lets passes skip work that is not needed. */
  readonly mentions: (text: string) => boolean
}

/** Collects what the passes report to the author: counts of what they protected, by kind, and warnings. */
type PassReport = {
  readonly counts: {
    strings: number
    numbers: number
    globals: number
    virtualized: number
    served: number
    locked: number
    compared: number
  }
  /**
   * Adds a warning about protection that the author requested but that is missing. These warnings are listed
   * first.
   */
  warnUnprotected(message: string): void
  warn(message: string): void
}

/** The context of every pass. Only `random` differs between passes. */
export type PassContext = {
  readonly target: Target
  readonly source: SourceFacts
  readonly symbols: Symbols
  /** Seeded with the run's seed and the pass's name. */
  readonly random: Random
  readonly diagnostics: Diagnostics
  readonly report: PassReport
  /** Determines which functions have room for more locals and upvalues. */
  readonly capacityOf: CapacityOf
  /** Nodes that later passes must leave unchanged. Passes may only add nodes. */
  readonly frozen: Set<Node>
  /** Whether the build virtualizes functions. If it doesn't, virtualization marks have no effect. */
  readonly virtualizes: boolean
  /** Whether the output becomes a function; see `ObfuscateOptions.parameters`. */
  readonly isWrapped: boolean
  /**
   * Whether code marked for the server is removed from the script (`move`), stays (`keep`), or stays and
   * reports its calls (`watch`).
   */
  readonly serverCode: 'move' | 'keep' | 'watch'
  /** Functions to treat as marked for the server; see `ObfuscateOptions.server`. */
  readonly serverNames: readonly string[]
  /** The parameter named `ward`. Null unless the build is a server build. */
  readonly ward: SymbolId | null
  /**
   * Numbers that differ between keys, by node. The node's value is its word in the instruction stream, not
   * the author's number.
   */
  readonly varied: Map<Node, Variation>
  /** Whether each key gets its own copy. If not, numbers don't differ between keys. */
  readonly hasCopies: boolean
  /** Number of watermark slots requested by the caller. */
  readonly slotsWanted: number
  /** Provides key streams that the output does not contain; null if the build has no server key. */
  readonly service: Service | null
}

/** The integrity checks that the output runs at startup, as set by `integrity.ts`. */
export type Checks = {
  readonly natives: string
  readonly layout: boolean
  readonly random: Random
}
