/** Appends new audit entries to their account's hash chain. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { chainEntries } from './chain.ts'

/** Maximum time that an entry stays unchained. */
const EVERY_MS = 1000

export function chainAudit(deps: Pick<Deps, 'db' | 'secrets'>): Worker {
  return { name: 'chain-audit', everyMs: EVERY_MS, run: () => chainEntries(deps) }
}
