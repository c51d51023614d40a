// What a pass is, and what it is given. Which passes there are and in which order they run is `list.ts`.

import type { Diagnostics } from '../diagnostics.ts'
import type { Service } from '../pads.ts'
import type { Random } from '../random.ts'
import type { Measure } from '../semantics/room.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import type { Bytes, Chunk, Node, SymbolId } from '../syntax/ast.ts'
import type { Watermark } from '../watermark.ts'

/** One thing that an author may set: shown by the dashboard, the command line and the docs as it stands here. */
export type Setting = {
  readonly id: string
  readonly name: string
  readonly description: string
} & (
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | { readonly type: 'share'; readonly default: number }
)

/** The settings of a pass as a run uses them: every id has a value of its type. */
export type SettingValues = Readonly<Record<string, boolean | string | number>>

/** What a run lends to every pass. */
export type Work = {
  readonly symbols: Symbols
  /** Seeded with the seed of the run and the name of the pass. */
  readonly random: Random
  readonly facts: WorkFacts
  readonly diagnostics: Diagnostics
}

/** What the output checks of itself while it starts, as `integrity.ts` was asked to. */
export type Checks = {
  readonly natives: string
  readonly layout: boolean
  readonly random: Random
}

/** Strings of a chunk in a table around it: printable, and without quotes and backslashes. */
export type Data = { readonly symbol: SymbolId; readonly texts: readonly Bytes[] }

export type WorkFacts = {
  readonly target: Target
  /** Bytes of the source: what a pass may add is a share of this. */
  readonly sourceSize: number
  /** Lines of the source. */
  readonly sourceLines: number
  /** Where locals and upvalues may still be added. */
  readonly room: Measure
  /** The local through which globals are reached, once there is one: its keys are hidden wherever they stand. */
  environment: SymbolId | null
  /** Literals and statements that a pass has finished: no later pass changes them. */
  readonly sealed: Set<Node>
  /** The author wants the whole script to stay fast. */
  isHot: boolean
  /** The output becomes a function that its caller is given, see `ObfuscateOptions.parameters`. */
  readonly isWrapped: boolean
  /** The author wants some functions to stay as they are, or nearly. */
  hasOpenCode: boolean
  /** All code of the author's is in instruction sets, so what is left means nothing without its constants. */
  isTakenApart: boolean
  /** What the code reads its strings from, once they are kept apart from it. */
  data: Data | null
  /** Whether the source has this text anywhere: a pass need not look for what cannot be there. */
  readonly mentions: (text: string) => boolean
  /** Literals that the author wants hidden wherever they stand. */
  readonly insisted: Set<Node>
  /** Counted for the report. */
  readonly counts: { strings: number; numbers: number; globals: number; virtualized: number; served: number }
  /** Null when nothing is checked, or a pass has already tied to the checks what it made. */
  checks: Checks | null
  /** Who hands out keys that the output does not contain; null when nobody does. */
  readonly service: Service | null
  /** Places that a pass finds for a watermark. */
  readonly watermark: Watermark
  /** What the author should know, for the report. */
  warn(message: string): void
}

export type Pass = {
  /** The file's name and the option's key. */
  readonly name: string
  /** One sentence for the docs and the dashboard. */
  readonly summary: string
  readonly settings: readonly Setting[]
  /** Runs without settings although it is off when the author insists on some literals, and then takes only those. */
  readonly hidesInsisted?: true
  run(chunk: Chunk, work: Work, settings: SettingValues): Chunk
}
