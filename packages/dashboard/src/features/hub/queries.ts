import { type V1ProjectsHubResponse, v1ProjectsHub, v1ScriptsEdit } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type NamedScript, useNamedScripts } from '../leaks/queries.ts'

export type Hub = V1ProjectsHubResponse
export type Wanted = Hub['demand'][number]
/** A script with its places and games. */
export type HubScript = NamedScript & {
  readonly isEnabled: boolean
  readonly places: readonly string[]
  /** Game IDs, without the marker for the default script. */
  readonly games: readonly string[]
  readonly isDefault: boolean
}
/** The lists that an edit replaces; omitted lists are unchanged. */
export type TargetEdit = { readonly places?: readonly string[]; readonly games?: readonly string[] }

export const WRITE = 'scripts:write'
/** Marks the default script in a list of games. */
const ANY = 'any'

export function useHub() {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['project', id, 'hub'],
    queryFn: async () => (await v1ProjectsHub({ ...call, path: { project_id: id } })).data,
  })
}

/** Lists all scripts of the project: those with places or games in creation order, then the others. */
export function useHubScripts(hub: Hub | undefined) {
  const query = useNamedScripts(useProject().id)
  const known = new Map(hub?.targets.map((one) => [one.script_id, one]))
  const rows = query.data?.map(({ id, name }): HubScript => {
    const { places = [], games = [], enabled = true } = known.get(id) ?? {}
    return {
      ...{ id, name, places, isEnabled: enabled },
      ...{ games: games.filter((one) => one !== ANY), isDefault: games.includes(ANY) },
    }
  })
  const [used, unused] = [rows?.filter(isUsed).reverse(), rows?.filter((row) => !isUsed(row))]
  return { query, rows: [...(used ?? []), ...(unused ?? [])] }
}

function isUsed({ places, games, isDefault }: HubScript): boolean {
  return isDefault || places.length > 0 || games.length > 0
}

/** Saves the places and games of a script. */
export function useEditTargets() {
  const call = useCall()
  return (script: HubScript, { places, games }: TargetEdit, isDefault = script.isDefault) => {
    const listed = [...(games ?? script.games), ...(isDefault ? [ANY] : [])]
    const isChanged = games !== undefined || isDefault !== script.isDefault
    const body = {
      ...(places === undefined ? {} : { places: [...places] }),
      ...(isChanged ? { games: listed } : {}),
    }
    return v1ScriptsEdit({ ...call, path: { script_id: script.id }, body })
  }
}
