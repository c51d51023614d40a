/** Upload and release times of a script's versions, as flags on the time axis. */
import { v1ScriptVersionsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Flag } from '../../components/chart/series.ts'
import { addressOf, withQuery } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

const SHOWN = 20
const FRESH_MS = 60_000
const NONE: readonly Flag[] = []

/** Returns flags only for a single script, because the uploads of all scripts would clutter the chart. */
export function useReleaseFlags(scriptId: string | undefined, since: number | undefined): readonly Flag[] {
  const call = useCall()
  const { id } = useProject()
  const mayRead = useRefusal('scripts:read') === undefined
  const path = { script_id: scriptId ?? '' }
  const query = useQuery({
    queryKey: ['script', scriptId, 'newest versions'],
    queryFn: async () =>
      (await v1ScriptVersionsList({ ...call, path, query: { limit: SHOWN, order: 'newest' } })).data.versions,
    enabled: mayRead && scriptId !== undefined,
    staleTime: FRESH_MS,
  })
  if (scriptId === undefined || since === undefined || query.data === undefined) return NONE
  const href = withQuery(addressOf.script(id, scriptId), { tab: 'versions' })
  return query.data
    .filter(({ created_at }) => created_at >= since)
    .map(({ version, created_at }) => ({ at: created_at, title: text.scripts.versionOf(version), href }))
    .reverse()
}
