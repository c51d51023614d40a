/** The titles of the tests in a file, each with those of the `describe`s around it; skipped ones are none. */
import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

type Node = { readonly type: string; readonly [member: string]: unknown }
type Callee = { readonly name: string; readonly members: readonly string[] }

const TESTS: ReadonlySet<string> = new Set(['it', 'test'])
const NEVER_RUN: ReadonlySet<string> = new Set(['skip', 'todo', 'fails', 'skipIf', 'runIf'])
/** Between a title and the one around it. */
export const WITHIN = ' › '

export function testTitles(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const titles: string[] = []
  collect(parseSync(file, text).program, [], titles)
  return titles
}

function collect(value: unknown, around: readonly string[], titles: string[]): void {
  if (Array.isArray(value)) for (const one of value) collect(one, around, titles)
  if (!isNode(value) || isNeverRun(value)) return
  const title = titleOf(value)
  const inside = title === undefined ? around : [...around, title.text]
  if (title?.isTest) titles.push(inside.join(WITHIN))
  for (const [name, child] of Object.entries(value)) if (name !== 'type') collect(child, inside, titles)
}

/** Of `it('…')`, `it.each(…)('…')`, `describe('…')` and their like. */
function titleOf(call: Node): { readonly text: string; readonly isTest: boolean } | undefined {
  const callee = testOf(call)
  if (!callee) return undefined
  const [first] = call.arguments as Node[]
  const text = first && textOf(first)
  return text === undefined ? undefined : { text, isTest: TESTS.has(callee.name) }
}

function isNeverRun(call: Node): boolean {
  return testOf(call)?.members.some((member) => NEVER_RUN.has(member)) ?? false
}

function testOf(call: Node): Callee | undefined {
  const callee = call.type === 'CallExpression' ? calleeOf(call.callee) : undefined
  return callee && (callee.name === 'describe' || TESTS.has(callee.name)) ? callee : undefined
}

function calleeOf(node: unknown): Callee | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return { name: String(node.name), members: [] }
  if (node.type === 'CallExpression') return calleeOf(node.callee)
  if (node.type !== 'MemberExpression') return undefined
  const object = calleeOf(node.object)
  const member = isNode(node.property) ? String(node.property.name) : ''
  return object && { ...object, members: [...object.members, member] }
}

/** What is filled in at run time is shown as the source has it. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('…')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
