/**
 * The functions of the store that run a statement: those that a file of `packages/server/src/store` exports and whose
 * first parameter is a `Queries`. Found in the source, so that a new one needs no list.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { ROOT } from './run.ts'

export const STORE = path.join(ROOT, 'packages', 'server', 'src', 'store')

/** `start` and `end` are where the function stands in the text. */
export type StoreFunction = {
  readonly name: string
  readonly isDeclaration: boolean
  readonly start: number
  readonly end: number
}

type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export function storeFunctionsIn(text: string): StoreFunction[] {
  const body = parseSync('file.ts', text).program.body as unknown as Node[]
  const declarations = body
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap(({ declaration }) => (declaration ? [declaration as Node] : []))
  return declarations
    .flatMap(functionsOf)
    .filter(({ node }) => takesQueries(node))
    .map(({ found }) => found)
}

/** `users.findUser` and its like, of every file but the migrations. */
export function allStoreFunctions(): string[] {
  const files = globSync('**/*.ts', { cwd: STORE }).filter((file) => !/\.test\.ts$|migrations/.test(file))
  return files.toSorted().flatMap((file) => {
    const found = storeFunctionsIn(readFileSync(path.join(STORE, file), 'utf8'))
    return found.map(({ name }) => `${placeOf(file)}.${name}`)
  })
}

/** `tables/users.ts` → `tables/users`. */
export function placeOf(file: string): string {
  return file.split(path.sep).join('/').replace(/\.ts$/, '')
}

function functionsOf(declaration: Node): { readonly node: Node; readonly found: StoreFunction }[] {
  if (declaration.type === 'FunctionDeclaration') return [functionOf(declaration, declaration, true)]
  if (declaration.type !== 'VariableDeclaration') return []
  return (declaration.declarations as Node[]).flatMap((one) => {
    const value = one.init as Node | null
    return value?.type === 'ArrowFunctionExpression' ? [functionOf(one, value, false)] : []
  })
}

function functionOf(named: Node, node: Node, isDeclaration: boolean) {
  const { name } = named.id as { readonly name: string }
  return { node, found: { name, isDeclaration, start: node.start, end: node.end } }
}

function takesQueries({ params }: Node): boolean {
  const [first] = params as { readonly typeAnnotation?: { readonly typeAnnotation: Node } | null }[]
  const type = first?.typeAnnotation?.typeAnnotation.typeName as { readonly name?: string } | undefined
  return type?.name === 'Queries'
}
