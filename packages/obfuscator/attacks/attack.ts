/**
 * What an attack is given and what it answers. The attacks themselves stand in a file each, numbered as in
 * docs/obfuscator.md.
 */

import type { Bytes } from '../src/syntax/ast.ts'

/** Where what is attacked runs. Luau has no `debug` library and no `string.dump`, so attacks on running code use these. */
export type Host = 'lua5.1' | 'luajit'

/** What an author would not like to be read in his script. Words that every Lua program has are not in it. */
export type Secrets = {
  /** Strings of at least five bytes that a run of the original evaluates. */
  readonly executed: ReadonlySet<Bytes>
  /** Those that it does not evaluate. */
  readonly cold: ReadonlySet<Bytes>
  /** Names of locals, globals and methods of at least four letters. */
  readonly names: ReadonlySet<Bytes>
  /** Numbers that say something: fractions, and those above 1,000. */
  readonly numbers: ReadonlySet<number>
}

export type Sample = {
  readonly name: string
  readonly source: Bytes
  readonly secrets: Secrets
}

/** Two builds of one sample, alike but for their seed. Attacks on one take `code`. */
export type Build = { readonly code: Bytes; readonly sibling: Bytes }

/** `score` is 0 when the attack gains everything, 1 when it gains nothing. */
export type Finding = { readonly score: number; readonly evidence: string }

export type Attack = {
  /** `T1` to `T15`. */
  readonly id: string
  readonly name: string
  readonly run: (sample: Sample, build: Build, host: Host) => Promise<Finding>
}

/** The usual finding: some of a set was gained. An empty set cannot be attacked. */
export function gained<T>(found: Iterable<T>, wanted: ReadonlySet<T>): Finding {
  const list = [...new Set(found)].filter((each) => wanted.has(each))
  const score = wanted.size === 0 ? 1 : 1 - list.length / wanted.size
  const shown = list.slice(0, 4).map((each) => JSON.stringify(each))
  return {
    score,
    evidence: `${list.length} of ${wanted.size}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`,
  }
}
