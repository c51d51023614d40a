/**
 * What an attack receives and returns. Each attack has a file of its own, numbered as in docs/obfuscator.md.
 */

import type { Bytes } from '../src/syntax/ast.ts'

/**
 * Where the attacked code runs. Luau has no `debug` library and no `string.dump`, so attacks on running code
 * use these hosts.
 */
export type Host = 'lua5.1' | 'luajit'

/** What an author wants to hide in a script, without words that every Lua program has. */
export type Secrets = {
  /** Strings of at least five bytes that a run of the original evaluates. */
  readonly executed: ReadonlySet<Bytes>
  /** Strings of at least five bytes that the run does not evaluate. */
  readonly cold: ReadonlySet<Bytes>
  /** Names of locals, globals and methods of at least four letters. */
  readonly names: ReadonlySet<Bytes>
  /** Numbers that reveal something: fractions, and those above 1,000. */
  readonly numbers: ReadonlySet<number>
}

export type Sample = {
  readonly name: string
  readonly source: Bytes
  readonly secrets: Secrets
}

/** Two builds of one sample that differ only in their seed. Attacks on one build use `code`. */
export type Build = {
  readonly code: Bytes
  readonly sibling: Bytes
  /** Two copies of `code` with other watermarks; without them, `code` carries none. */
  readonly copies?: readonly [Bytes, Bytes] | undefined
}

/** `score` is 0 when the attack gains everything and 1 when it gains nothing. */
export type Finding = { readonly score: number; readonly evidence: string }

export type Attack = {
  /** `T1` to `T19`. */
  readonly id: string
  readonly name: string
  readonly run: (sample: Sample, build: Build, host: Host) => Promise<Finding>
}

/** The usual finding: which part of a set was gained. An empty set cannot be attacked. */
export function gained<T>(found: Iterable<T>, wanted: ReadonlySet<T>): Finding {
  const list = [...new Set(found)].filter((each) => wanted.has(each))
  const score = wanted.size === 0 ? 1 : 1 - list.length / wanted.size
  const shown = list.slice(0, 4).map((each) => JSON.stringify(each))
  return {
    score,
    evidence: `${list.length} of ${wanted.size}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`,
  }
}
