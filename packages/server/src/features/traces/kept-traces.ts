/** Stores the result of each trace, without the copy, and lists a project's results. */
import { createHash } from 'node:crypto'
import { newId } from '../../api/ids.ts'
import { readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../audit/entry.ts'
import { keepScript } from '../errors/store/error-groups.ts'
import { nameUsers } from '../keys/user-names.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'
import { deleteSurplusTraces, findTrace, insertTrace, type ListedTrace, listTraces } from './store/traces.ts'
import { type Leak, type Trace, type TraceRefused, traceCopy } from './traces.ts'

/** Maximum number of stored traces per project. */
export const MAX_KEPT = 200
/** Maximum number of users in a list entry. */
const MAX_NAMED = 5
const PAGE = 100

type Suspect = {
  readonly user_key: string | null
  readonly version: number
  readonly named: boolean
  readonly confidence: number
}
/** The data in the `summary` column. */
type Summary = { readonly matches: number; readonly users: readonly Suspect[] }

export async function traceAndKeep(
  deps: Deps,
  subject: ScriptSubject,
  actor: Actor,
  leak: Leak,
): Promise<(Trace & { readonly trace_id: string }) | TraceRefused | Refused<'not_found'>> {
  const found = await traceCopy(deps, subject, leak)
  if (found instanceof Refused) return found
  const trace_id = await keepTrace(deps, subject, { actor, text: leak.text, found })
  return trace_id instanceof Refused ? trace_id : { ...found, trace_id }
}

type Traced = { readonly project: Pick<ProjectRow, 'id'>; readonly script: Pick<ScriptRow, 'id'> }
type Kept = { readonly actor: Actor; readonly text: string; readonly found: Trace }

/** Returns the ID of the stored trace, or an error if the script was removed. */
export async function keepTrace(
  deps: Deps,
  { project, script }: Traced,
  { actor, text, found }: Kept,
): Promise<string | Refused<'not_found'>> {
  const id = newId('trc', deps.now(), deps.random)
  const copy = Buffer.from(text)
  const row = {
    ...{ id, project_id: project.id, script_id: script.id },
    ...{ actor_kind: actor.kind, actor_id: actor.id, actor_name: actor.name },
    bytes: copy.length,
    sha256: createHash('sha256').update(copy).digest('hex'),
    summary: JSON.stringify(summarize(found)),
    result: JSON.stringify(found),
    created_at: deps.now(),
  }
  return deps.db.transaction(async (tx) => {
    if (!(await keepScript(tx, script.id))) return refuse('not_found')
    await insertTrace(tx, row)
    await deleteSurplusTraces(tx, project.id, MAX_KEPT)
    return id
  })
}

function summarize({ accused, candidates }: Trace): Summary {
  const users = [
    ...accused.map(({ user_key, version, chance }) => ({
      ...{ user_key, version, named: true },
      // Capped below 1, because no trace is certain.
      confidence: Math.min(Math.floor((1 - chance) * 1e6), 999_999) / 1e6,
    })),
    ...candidates.map(({ user_key, version, named, likelihood: confidence }) => ({
      ...{ user_key, version, named, confidence },
    })),
  ]
  return { matches: users.length, users: users.slice(0, MAX_NAMED) }
}

const LIST = { name: 'trace', numberOf: ({ seq }: ListedTrace) => seq }

type TraceQuery = { readonly script_id?: string; readonly after?: string; readonly limit?: number }

export async function listKeptTraces(deps: Deps, { id }: ProjectRow, { script_id, ...query }: TraceQuery) {
  const page = await readPage(LIST, { limit: PAGE, ...query }, ({ after, limit }) =>
    listTraces(deps.db.read, { projectId: id, scriptId: script_id, after, limit }),
  )
  if (page instanceof Refused) return page
  return { traces: await describeAll(deps, id, page.rows), next: page.next }
}

export async function getTrace(deps: Deps, { id: projectId }: ProjectRow, id: string) {
  const row = await findTrace(deps.db.read, projectId, id)
  const [described] = row === undefined ? [] : await describeAll(deps, projectId, [row])
  if (row === undefined || described === undefined) return refuse('not_found')
  return { ...described, ...(JSON.parse(row.result) as Trace) }
}

/** Reads the names of all users with one query. */
async function describeAll({ db }: Deps, projectId: string, rows: readonly ListedTrace[]) {
  const summaries = rows.map(({ summary }) => JSON.parse(summary) as Summary)
  const users = await nameUsers(
    db.read,
    projectId,
    summaries.flatMap((summary, row) => summary.users.map((user) => ({ ...user, row }))),
  )
  return rows.map((row, index) => ({
    id: row.id,
    script_id: row.script_id,
    script_name: row.script_name,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    created_at: row.created_at,
    bytes: row.bytes,
    sha256: row.sha256,
    matches: summaries[index]?.matches ?? 0,
    users: users.filter(({ row: of }) => of === index).map(({ row: _, ...user }) => user),
  }))
}
