/** Logs a security-relevant change, in addition to its audit entry. */
import { networkOf } from '../../platform/limits/networks.ts'
import { type ChangeEvent, type Reporting, report } from '../abuse/security-events.ts'
import type { Deed, Note } from './entry.ts'
import { isSecret } from './mask.ts'

export type Changed = { readonly deed: Deed; readonly noted: Note }

export function reportChange(
  reporting: Reporting,
  event: ChangeEvent | 'operator_change',
  { deed, noted }: Changed,
): void {
  const actor = noted.actor ?? deed.actor
  const change = {
    account: noted.customerId ?? deed.customerId ?? null,
    actor: actor?.id ?? actor?.kind ?? null,
    subject: subjectOf({ ...deed.nouns, ...noted.nouns }),
    network: deed.address === undefined ? null : networkOf(deed.address),
  }
  if (event === 'operator_change') report(reporting, event, { ...change, action: deed.action })
  else report(reporting, event, change)
}

/** ID of the changed resource. Keys are secrets, so they are left out. */
function subjectOf(nouns: Deed['nouns']): string | null {
  return Object.entries(nouns).find(([name]) => !isSecret(name))?.[1] ?? null
}
