/**
 * Reads the files of a source tree that its main file requires, directly or indirectly. Joins them into one
 * chunk, in which each file becomes a function that runs when the file is first required.
 */

import { Diagnostics, FileDiagnostics } from '../diagnostics.ts'
import { FunctionPlaces } from '../semantics/function-places.ts'
import { checkDepth } from '../semantics/limits.ts'
import { resolve } from '../semantics/resolve.ts'
import { createSymbols, type Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import { bytesOf } from '../source-bytes.ts'
import type { Binding, Chunk, Expression, Offset } from '../syntax/ast.ts'
import { type Dialect, type Escapes, isLua54 } from '../syntax/dialect.ts'
import type { FunctionsOf } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { parse } from '../syntax/parser.ts'
import { joinModules, type LoaderSymbols } from './bundle.ts'
import { type Edge, findCycle } from './cycles.ts'
import { type Loader, type Require, replaceRequires } from './find-requires.ts'
import { type JoinedFile, JoinedText } from './joined-text.ts'
import { Aliases, type LuaurcProblem } from './luaurc.ts'
import { type Found, isLuaName, ModulePaths, type Request } from './module-path.ts'
import { moved } from './move-tree.ts'
import { withOwnEnvironment } from './own-environment.ts'
import type { FileStore } from './source-tree.ts'
import { TreeFunctions } from './tree-functions.ts'

export type ReadTree = {
  readonly chunk: Chunk
  readonly symbols: Symbols
  readonly parameters: readonly Binding[]
  readonly functions: FunctionsOf
}

export type TreeInput = {
  readonly main: string
  readonly store: FileStore
  readonly target: Target
  readonly dialect: Dialect
  readonly escapes: Escapes
  /** Creates the names that every file can access as locals. */
  readonly parameters: (symbols: Symbols) => readonly Binding[]
}

export class TreeReader {
  /** The files read so far, including `.luaurc` files. */
  readonly joined = new JoinedText()
  readonly diagnostics = new Diagnostics(this.joined)
  readonly #input: TreeInput
  readonly #paths: ModulePaths
  readonly #numbers = new Map<string, number>()
  readonly #queue: string[] = []
  readonly #edges: Edge[] = []
  readonly #functions: { from: Offset; functions: FunctionPlaces }[] = []
  #assigned: Offset | null = null

  constructor(input: TreeInput) {
    this.#input = input
    const aliases = new Aliases(input.store, (problem) => this.#refuseLuaurc(problem))
    this.#paths = new ModulePaths(input.main, input.store, (name, from) => aliases.find(name, from))
  }

  /** Returns null if a diagnostic was reported. */
  read(): ReadTree | null {
    const { main, parameters: bind } = this.#input
    const first = this.#parse(main)
    const symbols = createSymbols(first.chunk.symbolCount)
    const parameters = bind(symbols)
    const loader = { modules: symbols.fresh(), load: symbols.fresh() }
    const chunk = this.#link(first, parameters, loader)
    const modules: Chunk[] = []
    for (let path = this.#queue.shift(); path !== undefined; path = this.#queue.shift()) {
      const { file, chunk: parsed } = this.#parse(path)
      const own = moved(parsed, file.from, symbols.reserve(parsed.symbolCount))
      modules.push(this.#link({ file, chunk: own }, parameters, loader))
      if (this.diagnostics.isFull) break
    }
    this.#check(modules.length)
    if (!this.diagnostics.isEmpty) return null
    const { target, dialect } = this.#input
    const own = (file: Chunk) => (isLua54(dialect) ? withOwnEnvironment(file, symbols) : file)
    const joined = joinModules(own(chunk), modules.map(own), { loader, symbols, target })
    return { chunk: joined, symbols, parameters, functions: new TreeFunctions(this.#functions) }
  }

  #parse(path: string): { file: JoinedFile; chunk: Chunk } {
    const file = this.joined.add(path, bytesOf(this.#input.store.read(path) ?? ''))
    const diagnostics = new FileDiagnostics(this.diagnostics, file)
    const chunk = parse(file.text, diagnostics, this.#input.dialect, this.#input.escapes)
    if (diagnostics.isEmpty) checkDepth(chunk, this.#input.target, diagnostics)
    this.#functions.push({ from: file.from, functions: new FunctionPlaces(chunk) })
    return { file, chunk }
  }

  /** @param parsed a file whose offsets and symbols are already relative to the source tree. */
  #link(
    parsed: { file: JoinedFile; chunk: Chunk },
    parameters: readonly Binding[],
    loader: LoaderSymbols,
  ): Chunk {
    const resolved = resolve(parsed.chunk, parameters, this.diagnostics, this.#input.dialect)
    const load: Loader = (found) => {
      const number = this.#numberOf(parsed.file.path, found)
      if (number === null) return undefined
      const make = nodesAt(found.at)
      const callee = make.use(loader.load)
      return { callee, args: [make.number(number), ...namesGiven(found.request, found.at)] }
    }
    const { chunk, assigned } = replaceRequires(resolved, load)
    this.#assigned ??= assigned
    return chunk
  }

  /** Returns the number of the required file; null if the file is not in the source tree. */
  #numberOf(from: string, { nameAt, request, isCertain }: Require): number | null {
    const found = this.#paths.find(request, from)
    if (found.kind !== 'file') {
      this.#refuse(nameAt, found)
      return null
    }
    const { path } = found
    if (isCertain) this.#edges.push({ from, to: path, at: nameAt })
    if (path === this.#input.main) {
      if (!isCertain) this.diagnostics.report(nameAt, 'mainRequired')
      return null
    }
    const known = this.#numbers.get(path)
    if (known !== undefined) return known
    this.#queue.push(path)
    this.#numbers.set(path, this.#numbers.size + 1)
    return this.#numbers.size
  }

  #refuse(at: Offset, found: Exclude<Found, { kind: 'file' }>): void {
    if (found.kind === 'outside') this.diagnostics.report(at, 'moduleOutside')
    if (found.kind === 'ambiguous') {
      this.diagnostics.report(at, 'moduleAmbiguous', found.paths.map((each) => `'${each}'`).join(' or '))
    }
    if (found.kind !== 'missing') return
    if (found.instead === null) this.diagnostics.report(at, 'moduleMissing', found.stem)
    else this.diagnostics.report(at, 'moduleElsewhere', found.stem, found.instead)
  }

  #check(modules: number): void {
    if (modules > 0 && this.#assigned !== null) this.diagnostics.report(this.#assigned, 'requireAssigned')
    const cycle = findCycle(this.#input.main, this.#edges)
    if (cycle) this.diagnostics.report(cycle.at, 'moduleCycle', cycle.paths.join(' → '))
  }

  #refuseLuaurc({ path, text, at, what }: LuaurcProblem): void {
    const { from } = this.joined.add(path, bytesOf(text))
    this.diagnostics.report(from + bytesOf(text.slice(0, at)).length, 'luaurc', what)
  }
}

/** Returns the arguments that the file receives as its `...`. */
function namesGiven(request: Request, at: Offset): Expression[] {
  const isName = request.form === 'text' && isLuaName(request.text)
  return isName ? [nodesAt(at).string(bytesOf(request.text))] : []
}
