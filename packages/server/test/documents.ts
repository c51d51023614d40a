/**
 * Returns the OpenAPI document as consumers see it: serialized to JSON, parsed again, and with every
 * reference resolved.
 */

export type Document<Operation> = {
  /** Default for operations that don't define their own security requirements. */
  readonly security: readonly object[]
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly {
    readonly name: string
    readonly description?: string
    readonly 'x-displayName'?: string
  }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
}
type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

export function resolved<Operation>(document: object): Document<Operation> {
  const { components, ...rest } = JSON.parse(JSON.stringify(document)) as { components: Components }
  const find = ($ref: string) => {
    const [, section = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec($ref) ?? []
    const found = components[section]?.[name]
    if (found === undefined) throw new Error(`the document has no ${$ref}`)
    return resolve(found)
  }
  const resolve = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map(resolve)
    const { $ref, ...own } = node as { $ref?: string }
    const entries = Object.entries(own).map(([name, value]) => [name, resolve(value)])
    return { ...($ref === undefined ? {} : (find($ref) as object)), ...Object.fromEntries(entries) }
  }
  return resolve(rest) as Document<Operation>
}
