/**
 * Types shared by all attacks. Each attack has its own file and the number that it has in docs/obfuscator.md.
 */

import type { Bytes } from '../src/syntax/ast.ts'

/**
 * The host that runs the attacked code. Attacks on running code don't use Luau, because Luau lacks a `debug`
 * library and `string.dump`.
 */
export type Host = 'lua5.1' | 'luajit'

/**
 * Runs the attacker's Lua code and returns its output. The code opens the files by the names in `arg[1]`,
 * `arg[2]`, and so on.
 */
export type RunLua = (script: Bytes, files: readonly Bytes[]) => Promise<Bytes>

/** A script's secrets. Excludes words that occur in every Lua program. */
export type Secrets = {
  /** Strings of at least five bytes that a run of the original evaluates. */
  readonly executed: ReadonlySet<Bytes>
  /** Strings of at least five bytes that a run of the original does not evaluate. */
  readonly cold: ReadonlySet<Bytes>
  /** Names of locals, globals and methods with at least four letters. */
  readonly names: ReadonlySet<Bytes>
  /** Numbers that reveal something: fractions, and numbers above 1,000. */
  readonly numbers: ReadonlySet<number>
}

export type Sample = {
  readonly name: string
  readonly source: Bytes
  readonly secrets: Secrets
}

/** Two builds of one sample that differ only in their seeds. Attacks on a single build use `code`. */
export type Build = {
  readonly code: Bytes
  readonly sibling: Bytes
  /** Two copies of `code` with different watermarks; undefined if `code` has no watermark. */
  readonly copies?: readonly [Bytes, Bytes] | undefined
}

/** `score` is 0 if the attack recovers everything and 1 if it recovers nothing. */
export type Finding = { readonly score: number; readonly evidence: string }

export type Attack = {
  /** `T1` to `T19`. */
  readonly id: string
  readonly name: string
  readonly run: (sample: Sample, build: Build, host: Host) => Promise<Finding>
}

/**
 * The finding of most attacks: the fraction of a set that was recovered determines the score. If the set is
 * empty, the score is 1.
 */
export function gained<T>(found: Iterable<T>, wanted: ReadonlySet<T>): Finding {
  const list = [...new Set(found)].filter((each) => wanted.has(each))
  const score = wanted.size === 0 ? 1 : 1 - list.length / wanted.size
  const shown = list.slice(0, 4).map((each) => JSON.stringify(each))
  return {
    score,
    evidence: `${list.length} of ${wanted.size}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`,
  }
}
