/**
 * The hub URL: one loader line for all games of a project. Chooses a script by place, then by game, then the
 * default script.
 */
import type { LoaderRuntime } from '@scriptward/client/bundle'
import { type CacheUse, renderHubLine } from '@scriptward/client/kept-code'
import { type Refused, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { findLanguage } from '../../pages/language.ts'
import { limitAddress } from '../abuse/attempts.ts'
import { unlimitedLoaderText } from '../executions/loaders.ts'
import { hasProject } from '../projects/store/projects.ts'
import { ANY, hasGames, listMatching, listSupported, type MatchingRow } from '../scripts/store/hub-targets.ts'
import { renderUnsupported } from './lua.ts'

/** Clients send this for an ID that they don't know. */
const UNKNOWN = '0'
/** Runtimes of hosts that have no game and can't send requests from Lua. */
const WITHOUT_GAME: readonly LoaderRuntime[] = ['51', '54', 'jit']
const MAX_NAMES = 10

export type HubRequest = {
  readonly projectId: string
  /** Undefined on the first request, because the published line contains no IDs. */
  readonly place?: string | undefined
  readonly game?: string | undefined
  readonly runtime?: Exclude<LoaderRuntime, 'any'> | undefined
  /** Language tag for the message about unsupported games, such as `pt`. */
  readonly lang?: string | undefined
  readonly cache?: CacheUse | undefined
  readonly address: string
}
type Urls = {
  /** URLs in the boot record (see `Download`). */
  readonly signed: readonly string[]
  /** URLs that are valid only for this client. */
  readonly own: readonly string[]
}
type Failures = Refused<'rate_limited' | 'not_found'>

/**
 * Returns Lua: a script's loader, a short program that repeats the request with the game's IDs, or an error
 * for unsupported games.
 */
export async function hubText(deps: Deps, request: HubRequest, urls: Urls): Promise<string | Failures> {
  const missing = await findHub(deps, request)
  if (missing) return missing
  const { projectId, place, game, runtime = 'any', cache } = request
  const db = deps.db.readPoint
  const isAsked = place !== undefined || game !== undefined || WITHOUT_GAME.includes(runtime)
  const ids = { place: place ?? UNKNOWN, game: game ?? UNKNOWN }
  const script = choose(await listMatching(db, { project_id: projectId, ...ids }))
  if (!isAsked && (script === undefined || (await hasGames(db, projectId))))
    return renderHubLine(addressOf(request, urls))
  if (script === undefined) {
    if (ids.place !== UNKNOWN || ids.game !== UNKNOWN)
      deps.hubDemand.countDemand(
        { project_id: projectId, place_id: ids.place, game_id: ids.game },
        deps.now(),
      )
    return refuseGame(db, request)
  }
  const download = { scriptId: script, urls: urls.signed, address: request.address }
  return unlimitedLoaderText(deps, download, { urls: urls.own, runtime, cache })
}

/** Returns an error if the project doesn't exist or the IP address is rate-limited. */
export async function findHub(
  deps: Deps,
  { projectId, address }: Pick<HubRequest, 'projectId' | 'address'>,
): Promise<undefined | Failures> {
  const limited = await limitAddress(deps, 'loader', address)
  if (limited) return limited
  // This is checked first, because PostgreSQL raises an error for strings with null characters.
  const isThere = /^[\w-]{1,64}$/.test(projectId) && (await hasProject(deps.db.readPoint, projectId))
  return isThere ? undefined : refuseMissing(`Project ${shownId(projectId)} does not exist`)
}

function choose(rows: readonly MatchingRow[]): string | undefined {
  const place = rows.find(({ kind }) => kind === 'place')
  const game = rows.find(({ kind, target_id }) => kind === 'game' && target_id !== ANY)
  return (place ?? game ?? rows[0])?.script_id
}

function addressOf({ projectId, runtime }: HubRequest, { own }: Urls): string {
  return `${own[0]}/hub/${projectId}?${runtime === undefined ? '' : `rt=${runtime}&`}`
}

async function refuseGame(db: Queries, { projectId, lang }: HubRequest): Promise<string> {
  const { names, total } = await listSupported(db, projectId, MAX_NAMES)
  return renderUnsupported(findLanguage(lang) ?? 'en', names, total)
}
