/** The SDK's calls and types, generated from the OpenAPI document into a folder that nobody edits by hand. */
import { createClient } from '@hey-api/openapi-ts'

/** Writes the generated half of `packages/sdk` into `folder`, which is emptied first. */
export async function generateSdk(document: Record<string, unknown>, folder: string): Promise<void> {
  await createClient({
    input: document,
    output: { path: folder, clean: true, importFileExtension: '.ts' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    parser: { filters: { operations: { exclude: ['/^(GET|POST) \\/(client|v1\\/auth)\\//'] } } },
    logs: { level: 'silent' },
  })
}
