/** The SDK's calls and types, generated from the OpenAPI document into a folder that nobody edits by hand. */
import { createClient } from '@hey-api/openapi-ts'

type Operation = { readonly security: readonly object[] }
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** As the SDK needs the document: events, which nobody calls, would become types without a use. */
function callable({ paths, webhooks: _events, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const byPath = Object.entries(paths as Paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, byHeader(one)])),
  ])
  return { ...rest, paths: Object.fromEntries(byPath) }
}

/** A cookie goes with a request by itself; where a key may be given too, the SDK would send that as a cookie besides. */
function byHeader(one: Operation): Operation {
  const others = one.security.filter((scheme) => !('cookie' in scheme))
  return others.length === 0 ? one : { ...one, security: others }
}

/** Writes the generated half of `packages/sdk` into `folder`, which is emptied first. */
export async function generateSdk(document: Record<string, unknown>, folder: string): Promise<void> {
  await createClient({
    input: callable(document),
    output: { path: folder, clean: true, importFileExtension: '.ts' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    parser: { filters: { operations: { exclude: ['/^(GET|POST) \\/(client|v1\\/auth)\\//'] } } },
    logs: { level: 'silent' },
  })
}
