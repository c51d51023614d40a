/**
 * Runs the obfuscator and the attacks in a worker, so that the page stays responsive. Each worker gets one
 * task and responds with one message.
 */
import { expand, obfuscate } from '@scriptward/obfuscator'
import {
  type Found,
  hookLibrary,
  type Lifting,
  liftScript,
  readFile,
  wordsIn,
} from '@scriptward/obfuscator/attacks'
import { attackInLuau } from './attack-in-luau.ts'
import { type Draft, flip, optionsOf, PASSES, presets, runsInLuau } from './draft.ts'

export type Answers = {
  readonly protect: Protected | { readonly errors: readonly string[] }
  readonly compare: readonly Variant[]
  readonly attack: Attacks
}
export type Task = {
  readonly [Kind in keyof Answers]: { readonly kind: Kind; readonly draft: Draft }
}[keyof Answers]

export type Protected = {
  readonly code: string
  /**
   * The source as Luau runs it: macros are expanded, and everything else is unchanged. Null if Luau can't run
   * the source.
   */
  readonly plain: string | null
  /** Size of the source, in bytes. */
  readonly sourceSize: number
  readonly virtualized: number
  readonly hidden: number
  readonly warnings: readonly string[]
}

/** A build with a different preset, or with one option toggled. */
export type Variant = {
  readonly change: { readonly preset: string } | { readonly option: string }
  /** Null if the obfuscator rejects this combination. */
  readonly code: string | null
  readonly readable: Found | null
}

export type Attacks = {
  readonly all: Found
  readonly file: Found
  /**
   * Null if the output doesn't run in Luau, or doesn't finish. `open` lists the strings that hooks can also
   * see when they run the source.
   */
  readonly hooks: { readonly strings: readonly string[]; readonly open: readonly string[] } | null
  /** Null if the output doesn't run in Luau. */
  readonly lifted: Lifting | null
}

globalThis.addEventListener(
  'message',
  async ({ data: { kind, draft } }: MessageEvent<Task>) => {
    // Reports the error, because the page would not notice a rejected promise.
    const answer = await { protect, compare, attack }[kind](draft).catch(() => null)
    globalThis.postMessage(answer)
  },
  { once: true },
)

async function protect(draft: Draft): Promise<Answers['protect']> {
  const built = obfuscate(draft.source, optionsOf(draft))
  if ('errors' in built) return { errors: built.errors.map(({ message }) => message) }
  const { code, report } = built
  return {
    code,
    plain: plainOf(draft),
    sourceSize: report.sourceSize,
    virtualized: report.virtualized,
    hidden: report.strings + report.numbers + report.globals,
    warnings: report.warnings,
  }
}

function plainOf(draft: Draft): string | null {
  const plain = runsInLuau(draft) ? expand(draft.source, optionsOf(draft)) : null
  return plain && 'code' in plain ? plain.code : null
}

async function compare(draft: Draft): Promise<readonly Variant[]> {
  const all = wordsIn(draft.source, dialectOf(draft))
  const variant = (change: Variant['change'], changed: Draft): Variant => {
    const built = obfuscate(draft.source, optionsOf(changed))
    if ('errors' in built) return { change, code: null, readable: null }
    return { change, code: built.code, readable: readFile(all, built.code, dialectOf(draft)) }
  }
  return [
    ...presets.map(({ id }) => variant({ preset: id }, { ...draft, preset: id, switched: [] })),
    ...PASSES.map(({ id }) => variant({ option: id }, { ...draft, switched: flip(draft, id) })),
  ]
}

async function attack(draft: Draft): Promise<Attacks> {
  const all = wordsIn(draft.source, dialectOf(draft))
  const built = obfuscate(draft.source, optionsOf(draft))
  if ('errors' in built) throw new Error('only protected scripts are attacked')
  const file = readFile(all, built.code, dialectOf(draft))
  const plain = plainOf(draft)
  if (plain === null) return { all, file, hooks: null, lifted: null }
  // An attack whose run does not finish counts as failed.
  const hooks = await hooksOn({ all, code: built.code, plain }).catch(() => null)
  const lifted = await liftScript(all, plain, built.code, attackInLuau).catch(() => null)
  return { all, file, hooks, lifted }
}

type Attacked = { readonly all: Found; readonly code: string; readonly plain: string }

async function hooksOn({ all, code, plain }: Attacked): Promise<Attacks['hooks']> {
  const strings = await hookLibrary(all, code, attackInLuau)
  return { strings, open: await hookLibrary(all, plain, attackInLuau) }
}

function dialectOf({ target }: Draft) {
  return target === 'lua54' ? 'lua54' : 'any'
}
