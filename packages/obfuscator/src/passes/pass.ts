/** What a pass is. `list.ts` says which passes there are and in which order they run. */

import type { ServedBlocks } from '../locks/served-blocks.ts'
import type { Message } from '../macros/messages.ts'
import { NO_ORDER_MARKS, type OrderMarks } from '../order-watermark/order-marks.ts'
import type { Checks, PassContext } from '../pass-context.ts'
import type { Bytes, Chunk, Node, SymbolId } from '../syntax/ast.ts'
import type { StreamSlots } from '../watermark.ts'

/** One setting of a pass. The dashboard, the command line and the docs show it exactly like this. */
export type Setting = {
  readonly id: string
  readonly name: string
  readonly description: string
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | { readonly type: 'share'; readonly default: number }
)

/** The settings of a pass in one run: every id has a value of its type. */
export type SettingValues = Readonly<Record<string, boolean | string | number>>

/**
 * Strings that `split-data` took out of the code, printable and without quotes and backslashes, and the
 * local that holds them.
 */
export type DataSegment = { readonly symbol: SymbolId; readonly texts: readonly Bytes[] }

/**
 * What passes hand on to later passes and to the end of the run. Each pass declares which parts it reads and
 * writes.
 */
export type PipelineState = {
  /** Literals and functions that the author wants hidden wherever they stand. */
  readonly insisted: ReadonlySet<Node>
  /** Some functions stay native, or nearly, because the author wants it. */
  readonly keepsFunctions: boolean
  /** What the script sends to chat channels, in the order of their numbers from 1. */
  readonly messages: readonly Message[]
  /** The local that holds the environment of globals, once there is one. Its keys are always hidden. */
  readonly environment: SymbolId | null
  /** Parts under keys that only the service has; null: there are none. */
  readonly served: ServedBlocks | null
  /** Checks that are not bound to the output yet. */
  readonly checks: Checks | null
  /** All code of the author is virtualised, so the rest of the code means nothing without its constants. */
  readonly isFullyVirtualized: boolean
  /** Places of the instruction stream that may be written in two ways. */
  readonly slots: StreamSlots | null
  /** How a lifted copy shows the first of them. */
  readonly orders: OrderMarks
  /** The strings of the code, once `split-data` moved them out. */
  readonly data: DataSegment | null
}

export type StateKey = keyof PipelineState

/** The state before the first pass. */
export const INITIAL_STATE: PipelineState = {
  insisted: new Set(),
  keepsFunctions: false,
  messages: [],
  environment: null,
  served: null,
  checks: null,
  isFullyVirtualized: false,
  slots: null,
  orders: NO_ORDER_MARKS,
  data: null,
}

/** The tree after a pass, and the parts of the state that the pass sets. */
export type PassResult<W extends StateKey = StateKey> = {
  readonly chunk: Chunk
  readonly state?: Partial<Pick<PipelineState, W>>
}

type Definition<R extends StateKey, W extends StateKey> = {
  /** The file name and the option key. */
  readonly name: string
  /** One sentence for the docs and the dashboard. */
  readonly summary: string
  readonly settings: readonly Setting[]
  /**
   * When the pass is off but the author insists on some literals, it runs without settings and takes only
   * those.
   */
  readonly hidesInsisted?: true
  /** Parts of the state that the pass depends on. An earlier pass writes each of them. */
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

/** Has the compiler check that a pass reads and writes only what it declares. */
export function definePass<const R extends StateKey, const W extends StateKey>(pass: Definition<R, W>): Pass {
  return pass
}
