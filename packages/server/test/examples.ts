/** Returns a typical value that matches a schema, for fields that don't matter to a test. */
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

/** Includes only required fields, or one field if none is required, so that the request has an effect. */
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

/** Times that must be in the future. */
const NUMBERS: Readonly<Record<string, number>> = { expires: 253_402_300_799_999 }

/** Strings with a format that the schema does not describe. */
const TEXTS: Readonly<Record<string, string>> = { email: 'example@example.com', script: 'print(1)' }
