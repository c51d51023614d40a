/** What one run gives to every pass and to the rooms that passes use. */

import type { Diagnostics } from './diagnostics.ts'
import type { Service } from './pads.ts'
import type { Random } from './random.ts'
import type { CapacityOf } from './semantics/capacity.ts'
import type { Symbols } from './semantics/symbols.ts'
import type { Target } from './semantics/target.ts'
import type { Node } from './syntax/ast.ts'

/** What the source says of itself before any pass runs. */
export type SourceFacts = {
  /** Bytes. What a pass may add to the output is a share of this. */
  readonly size: number
  readonly lines: number
  /** The author wants the whole script to stay fast: `--!hot`. */
  readonly isHot: boolean
  /** Some functions are `@native`, so they stay as they are. */
  readonly hasNativeFunctions: boolean
  /** Whether the source has this text anywhere: a pass need not look for what cannot be there. */
  readonly mentions: (text: string) => boolean
}

/** What passes tell the author: places that they changed, and warnings. */
export type PassReport = {
  readonly counts: { strings: number; numbers: number; globals: number; virtualized: number; served: number }
  warn(message: string): void
}

/** What every pass works with. It is the same for all passes of a run, but for `random`. */
export type PassContext = {
  readonly target: Target
  readonly source: SourceFacts
  readonly symbols: Symbols
  /** Seeded with the seed of the run and the name of the pass. */
  readonly random: Random
  readonly diagnostics: Diagnostics
  readonly report: PassReport
  /** Where locals and upvalues may still be added. */
  readonly capacityOf: CapacityOf
  /** Nodes that a pass has finished. Passes only add to it, and none changes a node that is in it. */
  readonly frozen: Set<Node>
  /** The output becomes a function that its caller gets, see `ObfuscateOptions.parameters`. */
  readonly isWrapped: boolean
  /** How many watermark slots the caller wants. */
  readonly slotsWanted: number
  /** Hands out keys that the output does not contain; null: there is no service behind this build. */
  readonly service: Service | null
}

/** What the output checks of itself at startup, as `integrity.ts` was asked to. */
export type Checks = {
  readonly natives: string
  readonly layout: boolean
  readonly random: Random
}
