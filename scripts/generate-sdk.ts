/** Generates the SDK's calls and types from the OpenAPI document in `docs/api`. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { makeWorkFolder, replaceFolder } from './built.mjs'
import { ROOT } from './run.ts'
import { type Operation as Described, type Parameter, resourcesModule } from './sdk-resources.ts'

type Operation = Omit<Described, 'parameters'> & {
  readonly security?: readonly object[]
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

type Document = {
  readonly paths: Paths
  /** Default for operations that do not define their own security. */
  readonly security: readonly object[]
  readonly webhooks: object
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** Removes events, which would become unused types in the SDK. */
function callable({ paths, webhooks: _events, ...rest }: Document): Record<string, unknown> {
  const byPath = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, one]) => [method, byHeader(one, rest.security)]),
    ),
  ])
  return withoutExamples({ ...rest, paths: Object.fromEntries(byPath) })
}

/**
 * Removes named examples, because the generator warns about each of them. In schemas, `examples` is a list
 * and is kept.
 */
function withoutExamples(document: object): Record<string, unknown> {
  const plain = JSON.stringify(document, (name, value: unknown) =>
    name === 'examples' && !Array.isArray(value) ? undefined : value,
  )
  return JSON.parse(plain) as Record<string, unknown>
}

/**
 * Removes cookie authentication from operations that also accept a key. Browsers send cookies automatically,
 * and the SDK would otherwise also send the key as a cookie.
 */
function byHeader(one: Operation, usual: readonly object[]): Operation {
  const others = (one.security ?? usual).filter((scheme) => !('cookie' in scheme))
  return others.length === 0 ? one : { ...one, security: others }
}

/** Resolves references to parameters, because the class generator needs the parameters themselves. */
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
