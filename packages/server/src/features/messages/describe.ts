/** Describes the webhook messages of a version, and the delivery counts for all versions of its script. */
import type { Deps } from '../../deps.ts'
import { openMessages } from '../builds/payloads.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'
import { openAddress } from '../webhooks/addresses.ts'
import { listWebhooks } from '../webhooks/store/webhooks.ts'
import { listMessageCounts } from './store.ts'

export async function describeMessages(deps: Deps, { id, project_id }: ScriptRow, sealed: Uint8Array | null) {
  const { read } = deps.db
  const templates = openMessages(deps, id, sealed)
  const rows = templates.length === 0 ? [] : await listWebhooks(read, project_id)
  const hosts = new Map(
    rows.map(({ kind, address }) => [kind, hostOf(openAddress(deps, project_id, kind, address))]),
  )
  return {
    messages: templates.map(({ line, webhook, patterns }, i) => ({
      ...{ number: i + 1, line },
      webhook_id: hosts.has(webhook) ? webhook : null,
      host: hosts.get(webhook) ?? null,
      values: patterns.length,
      unchecked: patterns.filter((pattern) => pattern === null).length,
    })),
    message_counts: (await listMessageCounts(read, id)).map(({ outcome, count, last_at }) => ({
      ...{ outcome, count, last_at },
    })),
  }
}

/** Returns only the host, because the rest of the URL is a credential. */
function hostOf(address: string | null): string | null {
  return URL.parse(address ?? '')?.host ?? null
}
