/** One plain value that fits a schema: what a request holds when a test is about something else in it. */
import type { TSchema } from 'typebox'

type Node = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly pattern?: string
}

/** Only what must be there; one member where nothing must, so that the request asks for something. */
export function exampleOf(schema: TSchema): unknown {
  return example(schema as Node, '')
}

function example(node: Node, name: string): unknown {
  if (node.enum !== undefined) return node.enum[0]
  const [type] = [node.type ?? 'null'].flat()
  switch (type) {
    case 'object':
      return membersOf(node)
    case 'array':
      return [example(node.items ?? {}, name)]
    case 'integer':
    case 'number':
      return NUMBERS[name] ?? Math.max(1, node.minimum ?? 1)
    case 'boolean':
      return true
    case 'string':
      return TEXTS[name] ?? 'example'
    default:
      return null
  }
}

function membersOf({ properties = {}, required = [] }: Node): object {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, example(properties[name] ?? {}, name)]))
}

/** Times that must not be over. */
const NUMBERS: Readonly<Record<string, number>> = { expires: 253_402_300_799_999 }

/** What has a form that its schema does not tell. */
const TEXTS: Readonly<Record<string, string>> = { email: 'example@example.com', script: 'print(1)' }
