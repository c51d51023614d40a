/** Reads aliases from `.luaurc` files. These files are JSON with comments and trailing commas. */

import { bytesOf, textOf } from '../source-bytes.ts'
import type { Alias } from './module-path.ts'
import type { FileStore } from './source-tree.ts'

/** `at` is the offset of the error in the file. */
export type LuaurcProblem = {
  readonly path: string
  readonly text: string
  readonly at: number
  readonly what: string
}

export class Aliases {
  readonly #store: FileStore
  readonly #refuse: (problem: LuaurcProblem) => void
  readonly #read = new Map<string, ReadonlyMap<string, string>>()

  constructor(store: FileStore, refuse: (problem: LuaurcProblem) => void) {
    this.#store = store
    this.#refuse = refuse
  }

  /** @param name the alias in lowercase. */
  find(name: string, from: string): Alias | null {
    const folders = from.split('/').slice(0, -1)
    for (;;) {
      const folder = folders.join('/')
      const target = this.#of(folder).get(name)
      if (target !== undefined) return { folder, target }
      if (folders.pop() === undefined) return null
    }
  }

  #of(folder: string): ReadonlyMap<string, string> {
    const known = this.#read.get(folder)
    if (known) return known
    const path = folder === '' ? '.luaurc' : `${folder}/.luaurc`
    const content = this.#store.read(path)
    const aliases = content === null ? new Map<string, string>() : this.#parse(path, textOf(bytesOf(content)))
    this.#read.set(folder, aliases)
    return aliases
  }

  #parse(path: string, text: string): ReadonlyMap<string, string> {
    try {
      const { aliases } = JSON.parse(plainJson(text)) as { readonly aliases?: unknown }
      const entries = Object.entries(typeof aliases === 'object' && aliases !== null ? aliases : {})
      const wrong = entries.find(([, target]) => typeof target !== 'string')
      if (!wrong) return new Map(entries.map(([name, target]) => [name.toLowerCase(), target as string]))
      const at = Math.max(0, text.indexOf(JSON.stringify(wrong[0])))
      this.#refuse({ path, text, at, what: `the alias '${wrong[0]}' must be a path in quotes` })
    } catch (error) {
      const at = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length)
      this.#refuse({ path, text, at, what: 'invalid JSON in .luaurc: correct it here' })
    }
    return new Map()
  }
}

/** Replaces comments and trailing commas with spaces, so that the offsets of errors stay the same. */
function plainJson(text: string): string {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, ' ')
  return text
    .replaceAll(
      /("(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (found, string) => string ?? blank(found),
    )
    .replaceAll(/("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])/g, (_, string) => string ?? ' ')
}
