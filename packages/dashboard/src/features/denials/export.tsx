/** Saves the filtered denials as CSV, with one row for each entry that the API returns. */
import { v1ProjectDenialsFilter } from '@scriptward/sdk'
import type { Denial } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { CsvButton, type Sheet } from '../logs/csv-button.tsx'
import { useDenialQuery } from './queries.ts'

export function ExportDenials({ period }: { period: Period }) {
  const t = text.denials
  const call = useCall()
  const { id, name } = useProject()
  const names = useScriptNames(id)
  const filter = useDenialQuery(period)
  return (
    <CsvButton
      fileName={`${name}-${text.frame.denials}.csv`}
      texts={{ none: t.exportNone, done: t.exported, part: t.exportedPart }}
      readPage={async (limit, after) => {
        const query = { ...filter, limit, ...(after !== undefined && { after }) }
        const { data } = await v1ProjectDenialsFilter({ ...call, path: { project_id: id }, query })
        return { rows: data.denials, next: data.next }
      }}
      sheetOf={(denials: readonly Denial[]) => sheetOf(denials, names)}
    />
  )
}

function sheetOf(denials: readonly Denial[], names: ReadonlyMap<string, string>): Sheet {
  const t = text.denials
  const { discordId, key } = text.logs
  const data = denials.map(({ client, ...one }) => [
    ...[one.first_at, one.last_at].map((at) => new Date(at).toISOString()),
    ...[one.count, one.left_out, one.reason, one.note, one.chat_id, one.user_key],
    ...[nameOfScript(names, one.script_id), one.script_version, client.executor, client.runtime],
    ...[client.ip, client.fingerprint, one.value],
    one.allowed_at === null ? null : new Date(one.allowed_at).toISOString(),
  ])
  const fields = [
    ...[t.first, t.last, t.count, t.leftOutName, t.reason, t.customer, discordId, key],
    ...[t.script, t.version, t.executor, t.runtime, t.address, t.device, t.valueName, t.nextTry],
  ]
  return { fields, data }
}
