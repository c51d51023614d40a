/** Reads every TypeScript source of the project into what the rules need: imports, functions and their sizes. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'

/** An `import`, or another way to name a file that is then loaded: a re-export, `import()`, `new URL`, `new Worker`. */
export type Import = { readonly specifier: string; readonly typeOnly: boolean; readonly line: number }
export type FunctionSize = {
  readonly name: string
  readonly line: number
  readonly lines: number
  readonly parameters: number
  /** Deepest level of control statements inside. */
  readonly nesting: number
}
export type SourceFile = {
  /** From the project's root, with `/`. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Names that it exports, types among them. */
  readonly exports: readonly string[]
  readonly functions: readonly FunctionSize[]
  readonly onlyReexports: boolean
}

type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}
type LineOf = (offset: number) => number

const PATTERNS = ['packages/*/{src,test}/**/*.{ts,tsx}', 'scripts/**/*.ts', 'bench/**/*.ts', 'test/**/*.ts']
const GENERATED = /packages\/sdk\/src\/generated/
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const NESTS = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
])

export function readSourceFiles(root: string): SourceFile[] {
  const found = globSync(PATTERNS, { cwd: root }).map((file) => file.split(path.sep).join('/'))
  return found
    .filter((file) => !GENERATED.test(file))
    .toSorted()
    .map((file) => readSourceFile(root, file))
}

function readSourceFile(root: string, file: string): SourceFile {
  const text = readFileSync(path.join(root, file), 'utf8')
  const parsed = parseSync(file, text)
  const fault = parsed.errors[0]
  if (fault) throw new Error(`${file}: ${fault.message}`)
  const body = parsed.program.body as unknown as Node[]
  const lineOf = lineIndex(text)
  const functions: FunctionSize[] = []
  for (const statement of body) collectFunctions(statement, lineOf, functions)
  return {
    path: file,
    text,
    lines: text.split('\n').length - 1,
    imports: body.flatMap((statement) => [
      ...importOf(statement, lineOf),
      ...loadedFilesOf(statement, lineOf),
    ]),
    exports: body.flatMap(exportsOf),
    functions,
    onlyReexports: body.length > 0 && body.every(isReexport),
  }
}

/** Offsets of a parse are UTF-16 units, like the string's own. */
function lineIndex(text: string): LineOf {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const after = starts.findIndex((start) => start > offset)
    return after < 0 ? starts.length : after
  }
}

function importOf(statement: Node, lineOf: LineOf): Import[] {
  const source = statement.source as Node | null | undefined
  if (!source || typeof source.value !== 'string') return []
  const specifiers = (statement.specifiers as Node[] | undefined) ?? []
  const kind = statement.importKind ?? statement.exportKind
  const typeOnly =
    kind === 'type' || (specifiers.length > 0 && specifiers.every((one) => one.importKind === 'type'))
  return [{ specifier: source.value, typeOnly, line: lineOf(statement.start) }]
}

/** `new URL('./thread.ts', import.meta.url)`, `new Worker('./thread.ts')`, `import('./a.ts')`, wherever they stand. */
function loadedFilesOf(node: Node, lineOf: LineOf): Import[] {
  const inside = childrenOf(node).flatMap((child) => loadedFilesOf(child, lineOf))
  const specifier = loadedFileOf(node)
  if (specifier === undefined) return inside
  return [{ specifier, typeOnly: node.type === 'TSImportType', line: lineOf(node.start) }, ...inside]
}

function loadedFileOf(node: Node): string | undefined {
  const [first] = (node.arguments as Node[] | undefined) ?? []
  const callee = node.callee as Node | undefined
  const isThread = node.type === 'NewExpression' && /^(URL|Worker)$/.test(String(callee?.name))
  const isImport = node.type === 'ImportExpression' || node.type === 'TSImportType'
  const { value } = (isThread ? first : isImport ? (node.source as Node) : undefined) ?? { value: undefined }
  return typeof value === 'string' && /^\..*\.tsx?$/.test(value) ? value : undefined
}

function exportsOf(statement: Node): string[] {
  if (statement.type !== 'ExportNamedDeclaration') return []
  const { declaration, specifiers } = statement as { declaration?: Node | null; specifiers?: Node[] }
  const declared = declaration ? ((declaration.declarations as Node[] | undefined) ?? [declaration]) : []
  const names = [...declared.map(({ id }) => id), ...(specifiers ?? []).map(({ exported }) => exported)]
  return names.flatMap((node) => {
    const name = (node as Node | undefined)?.name
    return typeof name === 'string' ? [name] : []
  })
}

function isReexport(statement: Node): boolean {
  return (
    statement.type === 'ExportAllDeclaration' ||
    (statement.type === 'ExportNamedDeclaration' && statement.source != null)
  )
}

function collectFunctions(node: Node, lineOf: LineOf, found: FunctionSize[], name = ''): void {
  const grouping = node.type === 'CallExpression' && isDescribe(node.callee as Node)
  if (FUNCTIONS.has(node.type)) found.push(measure(node, lineOf, name))
  for (const child of childrenOf(node)) {
    if (grouping && FUNCTIONS.has(child.type)) collectBelow(child, lineOf, found)
    else collectFunctions(child, lineOf, found, nameFor(child, node) || name)
  }
}

/** A `describe` callback is a heading over tests, not a function that somebody has to keep in mind. */
function isDescribe(callee: Node): boolean {
  if (callee.type === 'CallExpression') return isDescribe(callee.callee as Node)
  if (callee.type === 'MemberExpression') return isDescribe(callee.object as Node)
  return callee.type === 'Identifier' && callee.name === 'describe'
}

function collectBelow(node: Node, lineOf: LineOf, found: FunctionSize[]): void {
  for (const child of childrenOf(node)) collectFunctions(child, lineOf, found)
}

function measure(node: Node, lineOf: LineOf, name: string): FunctionSize {
  const own = node.id as Node | null | undefined
  const line = lineOf(node.start)
  return {
    name: String(own?.name ?? (name || 'a function')),
    line,
    lines: lineOf(node.end) - line + 1,
    parameters: (node.params as unknown[]).length,
    nesting: depthOf(node.body as Node),
  }
}

/** Levels of control statements; `else if` is the same level, a function inside starts anew. */
function depthOf(node: Node): number {
  if (FUNCTIONS.has(node.type)) return 0
  const own = NESTS.has(node.type) ? 1 : 0
  let deepest = 0
  for (const child of childrenOf(node)) {
    const chained = node.type === 'IfStatement' && child === node.alternate && child.type === 'IfStatement'
    deepest = Math.max(deepest, depthOf(child) - (chained ? 1 : 0))
  }
  return own + deepest
}

function nameFor(child: Node, parent: Node): string {
  const holder = parent.id ?? parent.key
  const named = holder as Node | null | undefined
  return child !== named && typeof named?.name === 'string' ? named.name : ''
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
