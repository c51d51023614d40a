/** A project's scripts, with each script's activity in the last two weeks. */
import { type V1ProjectScriptsActivityResponse, v1ProjectScriptsActivity } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCall } from '../../../queries/api.ts'
import { type ListedScript, MAX_SCRIPTS } from '../queries.ts'

export type Activity = V1ProjectScriptsActivityResponse['scripts'][number]
/** `activity` is undefined while it is loading or if it failed to load. */
export type Row = ListedScript & { readonly activity: Activity | undefined }
export type Week = {
  readonly runs: number
  readonly crashFree: number | null
  /** Difference from the week before; null if either week had no runs. */
  readonly change: number | null
}

const LIVE_MS = 15_000
const WEEK = 7

export function useActivity(project_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script activity', project_id],
    queryFn: async () => {
      const query = { limit: MAX_SCRIPTS, order: 'newest' as const }
      return (await v1ProjectScriptsActivity({ ...call, path: { project_id }, query })).data.scripts
    },
    refetchInterval: LIVE_MS,
  })
}

export function useRows(scripts: readonly ListedScript[], activity: readonly Activity[] | undefined) {
  return useMemo(() => {
    const byId = new Map(activity?.map((one) => [one.id, one]))
    return scripts.map((script) => ({ ...script, activity: byId.get(script.id) }))
  }, [scripts, activity])
}

/** Compares the last seven days with the seven days before. */
export function weekOf({ days }: Pick<Activity, 'days'>): Week {
  const now = sumOf(days.slice(-WEEK))
  const before = sumOf(days.slice(-2 * WEEK, -WEEK))
  const change = now.crashFree === null || before.crashFree === null ? null : now.crashFree - before.crashFree
  return { ...now, change }
}

function sumOf(days: Activity['days']) {
  const runs = days.reduce((sum, day) => sum + day.runs, 0)
  const crashed = days.reduce((sum, day) => sum + day.crashed, 0)
  // A crash is counted immediately, but its run is counted later.
  return { runs, crashFree: runs === 0 ? null : Math.max(0, 1 - crashed / runs) }
}
