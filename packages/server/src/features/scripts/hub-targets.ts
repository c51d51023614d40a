/** The places and games in which the hub URL runs a script. */
import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import { MAX_TARGETS } from '../../api/shapes.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { lockProject } from '../projects/store/projects.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import {
  ANY,
  findTaken,
  listScriptTargets,
  replaceTargets,
  type Target,
  type TargetKind,
} from './store/hub-targets.ts'

/** IDs can be strings or numbers. An omitted list stays unchanged. */
export type TargetEdit = {
  readonly places?: readonly (string | number)[]
  readonly games?: readonly (string | number)[]
}
export type Targets = { readonly places: string[]; readonly games: string[] }

export function editsTargets({ places, games }: TargetEdit): boolean {
  return places !== undefined || games !== undefined
}

/**
 * Locks the project first, because edits of two of its scripts could otherwise deadlock on each other's
 * targets.
 */
export async function editTargets(
  tx: Queries,
  { annotateAudit }: Pick<Deps, 'annotateAudit'>,
  { customer, project, script }: ScriptSubject,
  edit: TargetEdit,
): Promise<undefined | Refused<'invalid_request' | 'not_found'>> {
  if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
  const before = targetsOf(await listScriptTargets(tx, script.id))
  annotateAudit({ before: { ...script, ...before } })
  const places = distinct(edit.places) ?? before.places
  const games = distinct(edit.games) ?? before.games
  if (places.length + games.length > MAX_TARGETS)
    return refuseMember('places', `must have at most ${MAX_TARGETS} IDs, including those in games`)
  const wanted = { project_id: project.id, script_id: script.id }
  const refused = edit.places && (await replaceKind(tx, { ...wanted, kind: 'place' }, places))
  if (refused) return refused
  return edit.games && replaceKind(tx, { ...wanted, kind: 'game' }, games)
}

async function replaceKind(
  tx: Queries,
  wanted: { readonly project_id: string; readonly script_id: string; readonly kind: TargetKind },
  ids: readonly string[],
): Promise<undefined | Refused<'invalid_request'>> {
  const taken = ids.length === 0 ? undefined : await findTaken(tx, wanted, ids)
  if (taken) return refuseMember(`${wanted.kind}s`, takenWords(taken))
  await replaceTargets(tx, wanted, ids)
  return undefined
}

/** Returns the rest of an error that begins with "places" or "games". */
function takenWords({ target_id, id, name }: { target_id: string; id: string; name: string }): string {
  const script = `"${name}" (${id})`
  return target_id === ANY
    ? `contains any, but ${script} is already the default script. Edit that script first`
    : `contains ${target_id}, which ${script} already has. Remove it there first`
}

export async function describeTargets({ db }: Pick<Deps, 'db'>, scriptId: string): Promise<Targets> {
  return targetsOf(await listScriptTargets(db.read, scriptId))
}

export function targetsOf(rows: readonly Target[]): Targets {
  const idsOf = (kind: TargetKind) =>
    rows.flatMap((row) => (row.kind === kind ? [row.target_id] : [])).sort(byNumber)
  return { places: idsOf('place'), games: idsOf('game') }
}

/** IDs have up to 20 digits, which is too many for a JavaScript number. */
function byNumber(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}

function distinct(ids: readonly (string | number)[] | undefined): string[] | undefined {
  return ids && [...new Set(ids.map(String))]
}
