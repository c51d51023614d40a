/** Writes the generated half of the SDK, its calls and types, from the OpenAPI document in `docs/api`. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { ROOT } from './run.ts'
import { type Operation as Described, type Parameter, resourcesModule } from './sdk-resources.ts'

type Operation = Omit<Described, 'parameters'> & {
  readonly security: readonly object[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

type Content = Readonly<Record<string, { readonly schema: object }>>
type Responses = Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
type Document = {
  readonly paths: Paths
  readonly webhooks: object
  readonly components: {
    readonly examples: object
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Responses
  }
}

/** As the SDK needs the document: events, which nobody calls, would become types without a use. */
function callable({ paths, webhooks: _events, components, ...rest }: Document): Record<string, unknown> {
  const byPath = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, byHeader(one)])),
  ])
  return { ...rest, paths: Object.fromEntries(byPath), components: withoutExamples(components) }
}

/** The generator knows no examples among the components, and complains about each. */
function withoutExamples({ examples: _examples, responses, ...rest }: Document['components']) {
  const plain = Object.entries(responses).map(([name, { description, content = {} }]) => {
    const media = Object.entries(content).map(([type, { schema }]) => [type, { schema }])
    return [name, { description, content: Object.fromEntries(media) }]
  })
  return { ...rest, responses: Object.fromEntries(plain) }
}

/** A cookie goes with a request by itself; where a key may be given too, the SDK would send that as a cookie besides. */
function byHeader(one: Operation): Operation {
  const others = one.security.filter((scheme) => !('cookie' in scheme))
  return others.length === 0 ? one : { ...one, security: others }
}

/** As the class needs them: with their parameters instead of references. */
function operationsOf({ paths, components }: Document): Described[] {
  const named = ($ref: string) => components.parameters[$ref.slice('#/components/parameters/'.length)]
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((one) => ({
      ...one,
      parameters: one.parameters.flatMap((each) => ('$ref' in each ? (named(each.$ref) ?? []) : each)),
    })),
  )
}

const document: Document = JSON.parse(readFileSync(path.join(ROOT, 'docs', 'api', 'openapi.json'), 'utf8'))
const made = makeWorkFolder()
await createClient({
  input: callable(document),
  output: { path: made, clean: true, importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  parser: { filters: { operations: { exclude: ['/^(GET|POST) \\/(client|v1\\/auth)\\//'] } } },
  logs: { level: 'silent' },
})
writeFileSync(path.join(made, 'resources.gen.ts'), resourcesModule(operationsOf(document)))
replaceFolder(path.join(ROOT, 'packages', 'sdk', 'src', 'generated'), made)
