/** The interface of a pass. `list.ts` defines which passes exist and the order that they run in. */

import type { ServedBlocks } from '../locks/served-blocks.ts'
import type { Message } from '../macros/messages.ts'
import { NO_ORDER_MARKS, type OrderMarks } from '../order-watermark/order-marks.ts'
import type { Checks, PassContext } from '../pass-context.ts'
import type { ServerCode } from '../server-code/server-code.ts'
import type { Suggestion } from '../server-code/suggestions.ts'
import type { Bytes, Chunk, Node, SymbolId } from '../syntax/ast.ts'
import type { StreamSlots } from '../watermark.ts'

/** One setting of a pass. The dashboard, the command line and the documentation show it verbatim. */
export type Setting = {
  readonly id: string
  readonly name: string
  readonly description: string
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | { readonly type: 'share'; readonly default: number }
)

/** The settings of a pass in one run. Every setting has a value of the correct type. */
export type SettingValues = Readonly<Record<string, boolean | string | number>>

/**
 * The strings that `split-data` moved out of the code, and the local that holds them. The strings are
 * printable, and contain no double quotes or backslashes.
 */
export type DataSegment = { readonly symbol: SymbolId; readonly texts: readonly Bytes[] }

/**
 * The state that passes provide for later passes and for the end of the run. Each pass declares which fields
 * it reads and writes.
 */
export type PipelineState = {
  /** Literals and functions that the author marked for protection, regardless of the options. */
  readonly insisted: ReadonlySet<Node>
  /** Whether the author marked some functions to stay completely or almost native. */
  readonly keepsFunctions: boolean
  /** The script's webhook messages, in order of their 1-based numbers. */
  readonly messages: readonly Message[]
  /** Functions and tables that moved to the server, in order of their 1-based numbers. */
  readonly serverCode: readonly ServerCode[]
  /** Functions that could move to the server. */
  readonly suggestions: readonly Suggestion[]
  /** The local that holds the global environment; null until there is one. Its keys are always hidden. */
  readonly environment: SymbolId | null
  /** Blocks encrypted with keys that only the server has; null if there are none. */
  readonly served: ServedBlocks | null
  /** Integrity checks that are not bound to the output yet; null if there are none. */
  readonly checks: Checks | null
  /**
   * Whether all of the author's code is virtualized. If it is, the output's code reveals nothing without its
   * data.
   */
  readonly isFullyVirtualized: boolean
  /** Positions in the instruction stream that can be written in two ways; null before `virtualize`. */
  readonly slots: StreamSlots | null
  /** Marks that help to read the first slots from a lifted copy. */
  readonly orders: OrderMarks
  /** The strings that `split-data` moved out of the code; null if it has moved none. */
  readonly data: DataSegment | null
}

export type StateKey = keyof PipelineState

/** The state before the first pass. */
export const INITIAL_STATE: PipelineState = {
  insisted: new Set(),
  keepsFunctions: false,
  messages: [],
  serverCode: [],
  suggestions: [],
  environment: null,
  served: null,
  checks: null,
  isFullyVirtualized: false,
  slots: null,
  orders: NO_ORDER_MARKS,
  data: null,
}

/** The syntax tree after a pass, and the state fields that the pass sets. */
export type PassResult<W extends StateKey = StateKey> = {
  readonly chunk: Chunk
  readonly state?: Partial<Pick<PipelineState, W>>
}

type Definition<R extends StateKey, W extends StateKey> = {
  /** The name of the pass's file, which is also its key in the options. */
  readonly name: string
  /** One sentence for the documentation and the dashboard. */
  readonly summary: string
  readonly settings: readonly Setting[]
  /**
   * Whether the pass still runs if it is turned off but the author marked literals for protection. In that
   * case, the pass has no settings, and handles only those literals.
   */
  readonly hidesInsisted?: true
  /** State fields that the pass depends on. An earlier pass writes each of them. */
  readonly reads: readonly R[]
  readonly writes: readonly W[]
  run(
    chunk: Chunk,
    context: PassContext,
    settings: SettingValues,
    state: Pick<PipelineState, R>,
  ): PassResult<NoInfer<W>>
}

export type Pass = Definition<StateKey, StateKey>

/** Makes the compiler check that a pass reads and writes only the state that it declares. */
export function definePass<const R extends StateKey, const W extends StateKey>(pass: Definition<R, W>): Pass {
  return pass
}
