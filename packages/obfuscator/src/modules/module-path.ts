/**
 * Resolves a `require` to a file in the source tree. Supports Lua's dotted names, Luau's `./`, `../`, `@self`
 * and aliases, and Roblox's `script.Parent.X`.
 */

import type { FileStore } from './source-tree.ts'

/** `names` is the path of an instance relative to `script`; `null` stands for a step to the parent. */
export type Request =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'instance'; readonly names: readonly (string | null)[] }

/**
 * `host`: the request does not refer to the source tree. `missing`: the request refers to a file that is not
 * in the source tree.
 */
export type Found =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'host' }
  | { readonly kind: 'missing'; readonly stem: string; readonly instead: string | null }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] }
  | { readonly kind: 'outside' }

/**
 * Whether a request is a dotted Lua name instead of a Luau path. If it is, the required file receives the
 * name as its `...`.
 */
export function isLuaName(text: string): boolean {
  return !/^[./@]/.test(text)
}

/**
 * Looks up an alias in the nearest `.luaurc` above a file. Returns null if no `.luaurc` defines the alias.
 */
export type AliasOf = (name: string, from: string) => Alias | null

/** `folder` is the folder of the `.luaurc` file. `target` is relative to that folder. */
export type Alias = { readonly folder: string; readonly target: string }

type Segments = readonly string[]

const HOST: Found = { kind: 'host' }
const OUTSIDE: Found = { kind: 'outside' }
const ENDINGS = ['.lua', '.luau', '/init.lua', '/init.luau'] as const
const INIT = /^init(\.(server|client))?\.luau?$/
const ENDING = /(\.(server|client))?\.luau?$/
/** Maximum number of aliases that may refer to each other in a chain. */
const MAX_ALIASES = 10

export class ModulePaths {
  readonly #main: string
  readonly #store: FileStore
  readonly #aliasOf: AliasOf

  constructor(main: string, store: FileStore, aliasOf: AliasOf) {
    this.#main = main
    this.#store = store
    this.#aliasOf = aliasOf
  }

  /** @param from the path of the file that contains the `require`. */
  find(request: Request, from: string): Found {
    if (request.form === 'instance') return this.#instance(request.names, from)
    const { text } = request
    if (/^\.\.?(\/|$)/.test(text)) return this.#below(neighbors(from), text)
    if (text.startsWith('@')) return this.#alias(text, from)
    return text.startsWith('/') ? OUTSIDE : this.#dotted(text)
  }

  #alias(text: string, from: string): Found {
    let [name = '', ...rest] = text.slice(1).split('/')
    if (name === 'self') return this.#self(from, rest)
    let place = from
    for (let i = 0; i < MAX_ALIASES; i++) {
      const alias = this.#aliasOf(name.toLowerCase(), place)
      if (alias === null) return HOST
      const target = alias.target.split('/')
      if (!alias.target.startsWith('@')) {
        if (/^([/~]|[A-Za-z]:)/.test(alias.target)) return OUTSIDE
        return this.#below(segmentsOf(alias.folder), [...target, ...rest].join('/'))
      }
      name = (target[0] ?? '').slice(1)
      rest = [...target.slice(1), ...rest]
      place = alias.folder === '' ? '.luaurc' : `${alias.folder}/.luaurc`
    }
    return HOST
  }

  #self(from: string, rest: Segments): Found {
    const found = this.#below(itself(from), rest.join('/'))
    if (found.kind !== 'missing') return found
    const beside = this.#below(folderOf(from), rest.join('/'))
    return beside.kind === 'file' ? { ...found, instead: `./${rest.join('/')}` } : found
  }

  /**
   * Resolves a dotted name, first relative to the folder of the main file, then relative to the root of the
   * source tree.
   */
  #dotted(text: string): Found {
    const names = text.replaceAll('.', '/').split('/')
    if (names.includes('')) return HOST
    const roots = [folderOf(this.#main), []]
    for (const root of roots) {
      const [path] = this.#files([...root, ...names].join('/'))
      if (path !== undefined) return { kind: 'file', path }
    }
    const first = names[0] as string
    const root = roots.find((each) => this.#store.isFolder([...each, first].join('/')))
    if (names.length < 2 || root === undefined) return HOST
    return { kind: 'missing', stem: [...root, ...names].join('/'), instead: null }
  }

  /**
   * In the main file, `script` is the host's instance, so a name that is not in the source tree may still
   * exist in the game.
   */
  #instance(names: readonly (string | null)[], from: string): Found {
    const way: string[] = [...itself(from)]
    for (const name of names) {
      if (name !== null) way.push(name)
      else if (way.pop() === undefined) return from === this.#main ? HOST : OUTSIDE
    }
    const found = this.#single(way)
    return found.kind === 'missing' && from === this.#main ? HOST : found
  }

  #below(folder: Segments, relative: string): Found {
    const way = [...folder]
    for (const part of relative.split('/')) {
      if (part === '' || part === '.') continue
      if (part !== '..') way.push(part)
      else if (way.pop() === undefined) return OUTSIDE
    }
    return this.#single(way)
  }

  #single(way: Segments): Found {
    const stem = way.join('/')
    const paths = this.#files(stem)
    const [path] = paths
    if (path === undefined) return { kind: 'missing', stem, instead: null }
    return paths.length > 1 ? { kind: 'ambiguous', paths } : { kind: 'file', path }
  }

  #files(stem: string): string[] {
    const paths = ENDINGS.map((ending) => (stem === '' ? ending.replace(/^\//, '') : stem + ending))
    return paths.filter((path) => path.endsWith('/') === false && this.#store.read(path) !== null)
  }
}

function segmentsOf(path: string): string[] {
  return path === '' ? [] : path.split('/')
}

function folderOf(path: string): string[] {
  return path.split('/').slice(0, -1)
}

/**
 * Returns the folder that `./` refers to. An `init` file represents its folder, so its siblings are one level
 * up.
 */
function neighbors(path: string): Segments {
  return isInit(path) ? folderOf(path).slice(0, -1) : folderOf(path)
}

/** Returns the path that `script` and `@self` refer to. */
function itself(path: string): Segments {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  return INIT.test(name) ? segments : [...segments, name.replace(ENDING, '')]
}

/** An `init` file at the root doesn't count, because there is no folder for it to represent. */
function isInit(path: string): boolean {
  return path.includes('/') && INIT.test(path.slice(path.lastIndexOf('/') + 1))
}
