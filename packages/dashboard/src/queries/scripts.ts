/** Names of a project's scripts, for pages that show or filter by them. */
import { v1ProjectScriptsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRefusal } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall } from './api.ts'

const MAX_NAMES = 1000
const FRESH_MS = 60_000

/** Returns names by script ID; empty without permission to read scripts. */
export function useScriptNames(projectId: string): ReadonlyMap<string, string> {
  const call = useCall()
  const maySee = useRefusal('scripts:read') === undefined
  const query = useQuery({
    queryKey: ['script names', projectId],
    queryFn: async () => {
      const given = { path: { project_id: projectId }, query: { limit: MAX_NAMES } }
      const { scripts } = (await v1ProjectScriptsList({ ...call, ...given })).data
      return new Map(scripts.map(({ id, name }) => [id, name]))
    },
    staleTime: FRESH_MS,
    enabled: maySee,
  })
  return query.data ?? NONE
}

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * A missing name means that the script was removed, but only if all names are known. They aren't known while
 * loading or without permission.
 */
export function nameOfScript(names: ReadonlyMap<string, string>, id: string): string {
  const isWhole = names !== NONE && names.size < MAX_NAMES
  return names.get(id) ?? (isWhole ? text.denials.removedScript : text.denials.unknownScript)
}
