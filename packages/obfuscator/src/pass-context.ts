/** What one run gives to every pass and to the modules that passes use. */

import type { Diagnostics } from './diagnostics.ts'
import type { Service } from './lock-keystream.ts'
import type { Random } from './random.ts'
import type { CapacityOf } from './semantics/capacity.ts'
import type { Symbols } from './semantics/symbols.ts'
import type { Target } from './semantics/target.ts'
import type { Node, SymbolId } from './syntax/ast.ts'

/** Facts of the source before any pass runs. */
export type SourceFacts = {
  /** Bytes. What a pass may add to the output is a share of this. */
  readonly size: number
  readonly lines: number
  /** The author wants the whole script to stay fast: `--!hot`. */
  readonly isHot: boolean
  /** Some functions are `@native`, so they stay unchanged. */
  readonly hasNativeFunctions: boolean
  /** Whether the source contains this text: a pass can skip what cannot be there. */
  readonly mentions: (text: string) => boolean
}

/** What passes report to the author: how many places they changed, and warnings. */
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
  warn(message: string): void
}

/** What every pass works with. Only `random` differs between passes. */
export type PassContext = {
  readonly target: Target
  readonly source: SourceFacts
  readonly symbols: Symbols
  /** Seeded with the seed of the run and the pass name. */
  readonly random: Random
  readonly diagnostics: Diagnostics
  readonly report: PassReport
  /** Where locals and upvalues may still be added. */
  readonly capacityOf: CapacityOf
  /** Nodes that no later pass may change. Passes only add to it. */
  readonly frozen: Set<Node>
  /** Whether the build virtualises functions, so that marks for that have an effect. */
  readonly virtualizes: boolean
  /** The output becomes a function; see `ObfuscateOptions.parameters`. */
  readonly isWrapped: boolean
  /** The parameter with that name, which only a service gives; null elsewhere. */
  readonly ward: SymbolId | null
  /** How many watermark slots the caller wants. */
  readonly slotsWanted: number
  /** Hands out keys that the output does not contain; null when the build has no service. */
  readonly service: Service | null
}

/** What the output checks of itself at startup, as set by `integrity.ts`. */
export type Checks = {
  readonly natives: string
  readonly layout: boolean
  readonly random: Random
}
