/**
 * The documentation that every operation, tag and event must have: a paragraph, and examples that match their
 * schemas. Fails for any new endpoint without this documentation.
 */
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { resolved } from '../../test/documents.ts'
import { endpoints } from '../endpoints.ts'
import { ENVELOPE } from './failures.ts'
import { describeApi } from './openapi.ts'

type Content = Readonly<
  Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>
>
type Parameter = {
  readonly name: string
  readonly required: boolean
  readonly schema: object
  readonly description?: string
  readonly example?: unknown
}
type Operation = {
  readonly operationId?: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Members = { readonly properties?: Record<string, { description?: string; properties?: object }> }

const MAX_DOCUMENT_BYTES = 1_000_000
const SHARED = ['schemas', 'responses', 'examples', 'parameters'] as const

const document = resolved<Operation>(describeApi(endpoints, '0.0.0'))
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
)
const events = Object.entries(document.webhooks).map(([type, { post }]) => [type, post] as const)

describe('the reference', () => {
  it.each([...operations, ...events])('has a distinct paragraph for %s', (_, { summary, description }) => {
    const [paragraph = ''] = description.split('\n\n')
    expect(paragraph.length).toBeGreaterThan(60)
    expect(paragraph).not.toBe(summary)
    expect(paragraph).toMatch(/^[A-Z`].*[.]$/)
  })

  it.each(operations)('shows a valid example request of %s', (_, { parameters, requestBody }) => {
    for (const { name, required, schema, example } of parameters) {
      if (required) expect(example, `no example of ${name}`).toBeDefined()
      const { examples = [] } = schema as { readonly examples?: readonly unknown[] }
      for (const shown of example === undefined ? examples : [example]) expectFit(schema, shown, name)
    }
    for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
      expect(example).toBeDefined()
      expectFit(schema, example, 'body')
    }
  })

  it.each(operations)('describes every request field of %s', (_, { parameters, requestBody }) => {
    const silent = parameters.filter(({ description }) => description === undefined).map(({ name }) => name)
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema as Members)
    const unsaid = schemas.flatMap(({ properties = {} }) =>
      Object.entries(properties).filter(
        ([, { description, properties: own }]) => (description ?? own) === undefined,
      ),
    )
    expect([...silent, ...unsaid.map(([name]) => name)]).toEqual([])
  })

  it.each(operations)('shows a valid example response of %s', (_, { responses }) => {
    const contents = Object.values(responses[200]?.content ?? {})
    expect(contents.length).toBeGreaterThan(0)
    for (const { schema, example } of contents) {
      expect(example).toBeDefined()
      expectFit(schema, example, 'answer')
    }
  })

  it.each(operations)('shows a valid example of every error of %s', (_, { responses }) => {
    for (const [status, { content }] of Object.entries(responses)) {
      if (status === '200' || status === 'default') continue
      const examples = Object.values(content?.['application/json']?.examples ?? {})
      expect(examples.length, `no example with status ${status}`).toBeGreaterThan(0)
      for (const { value } of examples) {
        expectFit(ENVELOPE, value, status)
        const { error } = value as { readonly error: object }
        expect(Object.keys(error).filter((name) => !(name in ENVELOPE.properties.error.properties))).toEqual(
          [],
        )
      }
    }
  })

  it.each(events)('shows a valid example of the event %s', (type, { requestBody, responses }) => {
    const { schema, example } = requestBody?.content['application/json'] ?? { schema: {} }
    expectFit(schema, example, type)
    expect(Object.keys(responses)).toContain('2XX')
  })

  it('has a unique id for every operation and event', () => {
    const ids = [...operations, ...events].map(([, { operationId }]) => operationId)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a name and a paragraph for every group of operations', () => {
    const used = new Set([...operations, ...events].flatMap(([, { tags }]) => tags))
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(used)
    for (const { name, description = '', 'x-displayName': title = '' } of document.tags) {
      expect(description.length, `paragraph of ${name}`).toBeGreaterThan(60)
      expect(title.length, `title of ${name}`).toBeGreaterThan(0)
    }
  })

  it('names the configured URL of the server, and otherwise the host it was loaded from', () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/'])
    const known = resolved(describeApi(endpoints, '0.0.0', 'https://keys.example.org'))
    expect(known.servers.map(({ url }) => url)).toEqual(['https://keys.example.org'])
  })
})

describe('the document', () => {
  const minified = JSON.stringify(describeApi(endpoints, '0.0.0'))
  const { components, ...rest } = JSON.parse(minified) as {
    components: Record<(typeof SHARED)[number], Record<string, object>>
  }

  it('stays small enough to load in one go', () => {
    expect(Buffer.byteLength(minified)).toBeLessThan(MAX_DOCUMENT_BYTES)
  })

  it.each(SHARED)('contains none of its %s twice', (section) => {
    const named = new Set(Object.values(components[section]).map((one) => JSON.stringify(one)))
    expect(named.size).toBe(Object.keys(components[section]).length)
    const inside = [
      rest,
      ...Object.values(components).flatMap((all) => Object.values(all).flatMap(Object.values)),
    ]
    expect(partsOf(inside).filter((part) => named.has(part))).toEqual([])
  })

  it('defines every schema and response that it references', () => {
    const referred = new Set([...minified.matchAll(/#\/components\/(\w+\/[\w.-]+)/g)].map(([, name]) => name))
    const known = Object.entries(components).flatMap(([section, all]) =>
      Object.keys(all).map((name) => `${section}/${name}`),
    )
    expect([...referred].sort()).toEqual(known.filter((name) => !name.startsWith('securitySchemes/')).sort())
  })
})

/** Every nested object, as JSON. */
function partsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const own = Array.isArray(node) ? [] : [JSON.stringify(node)]
  return [...own, ...Object.values(node).flatMap(partsOf)]
}

function expectFit(schema: object, value: unknown, what: string): void {
  const check = Compile(schema)
  if (!check.Check(value))
    throw new Error(`${what}: ${JSON.stringify(value)} ${JSON.stringify(check.Errors(value)).slice(0, 500)}`)
}
