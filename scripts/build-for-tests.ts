/**
 * Builds the generated files that tests read. Vitest calls `setup` once per project, before the first test.
 */
import type { TestProject } from 'vitest/node'
import { buildChanged } from './built.mjs'

/** Only projects that start a server need the pages. */
export function setup({ name }: TestProject): void {
  const parts = [
    'reference',
    'sdk',
    ...(name === 'service' ? (['dashboard', 'playground'] as const) : []),
  ] as const
  buildChanged(parts, process.execPath, process.env)
}
