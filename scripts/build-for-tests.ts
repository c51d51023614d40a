/** Builds what tests read and git does not hold, before the first of them runs: Vitest calls `setup` once for each project. */
import type { TestProject } from 'vitest/node'
import { buildChanged } from './built.mjs'

/** Only a service has the pages of the dashboard. */
export function setup({ name }: TestProject): void {
  const parts = ['reference', 'sdk', ...(name === 'service' ? (['dashboard'] as const) : [])] as const
  buildChanged(parts, process.execPath, process.env)
}
