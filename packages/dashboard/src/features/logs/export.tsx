/** Saves the filtered runs as CSV. */
import { v1ProjectExecutionsLog } from '@scriptward/sdk'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { CsvButton, type Sheet } from './csv-button.tsx'
import { type Run, useLogQuery } from './queries.ts'

const SECOND_MS = 1000

export function ExportButton({ period }: { period: Period }) {
  const t = text.logs
  const call = useCall()
  const { id, name } = useProject()
  const names = useScriptNames(id)
  const filter = useLogQuery(period)
  return (
    <CsvButton
      fileName={`${name}-${t.list}.csv`}
      texts={{ none: t.exportNone, done: t.exported, part: t.exportedPart }}
      readPage={async (limit, after) => {
        const query = { ...filter, limit, ...(after !== undefined && { after }) }
        const { data } = await v1ProjectExecutionsLog({ ...call, path: { project_id: id }, query })
        return { rows: data.executions, next: data.next }
      }}
      sheetOf={(runs: readonly Run[]) => sheetOf(runs, names)}
    />
  )
}

function sheetOf(runs: readonly Run[], names: ReadonlyMap<string, string>): Sheet {
  const t = text.logs
  const head = [t.at, t.outcome, t.reason, t.customer, t.discordId, t.key, t.script, t.version, t.executor]
  const data = runs.map((run) => [
    new Date(run.at).toISOString(),
    ...[run.outcome, run.reason, run.note, run.chat_id, run.user_key],
    ...[nameOfScript(names, run.script_id), run.script_version, run.executor, run.runtime, run.state],
    run.ended_at === null ? null : Math.round((run.ended_at - run.at) / SECOND_MS),
    ...[run.value, run.id],
  ])
  return { fields: [...head, t.runtime, t.state, `${t.duration} (s)`, t.value, t.id], data }
}
