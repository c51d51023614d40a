/** Generates user exports. JSON exports can be imported again. */
import type { Deps } from '../../deps.ts'
import { quoteFormulas } from '../keys/formulas.ts'
import { everyUser } from '../keys/lists.ts'
import { type ExportedUser, readExportedJson } from '../keys/store/user-bulk.ts'
import type { ProjectRow } from '../projects/store/projects.ts'

/** Number of users per chunk. On SQLite, reading a chunk blocks the event loop for a few milliseconds. */
const PIECE_ROWS = 500

export async function* exportJson({ db, now }: Deps, { id }: ProjectRow): AsyncGenerator<string> {
  const whose = { projectId: id, now: now() }
  yield '['
  for (let after = 0; ; ) {
    const { text, last } = await readExportedJson(db.read, whose, { after, limit: PIECE_ROWS })
    if (text === null || last === null) break
    yield after === 0 ? text : `,${text}`
    after = last
  }
  yield ']'
}

/** Reads the users in two passes, because unused users are listed first. */
export async function* exportText(deps: Deps, project: ProjectRow): AsyncGenerator<string> {
  yield 'Unused keys (key):\n'
  for await (const rows of everyUser(deps, project)) yield linesOf(rows.filter(isUnused), ({ key }) => [key])
  yield '\nUsed keys (key, chat id, executor):\n'
  for await (const rows of everyUser(deps, project)) {
    const used = rows.filter((row) => !isUnused(row))
    yield linesOf(used, ({ key, chat_id, executor }) => [key, chat_id, executor])
  }
}

function linesOf(
  rows: readonly ExportedUser[],
  cells: (row: ExportedUser) => readonly (string | null)[],
): string {
  const cell = (text: string | null) => (text === null ? 'N/A' : quoteFormulas(text))
  return rows.map((row) => `${cells(row).map(cell).join(', ')}\n`).join('')
}

/** Returns whether the user has never run a script and has neither a fingerprint nor a chat ID. */
function isUnused(row: ExportedUser): boolean {
  return row.executions === 0 && row.fingerprint_assigned === 0 && row.chat_id === null
}
