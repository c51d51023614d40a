/** Shows the API's result for each row, before and after the import. */
import type { V1ProjectUsersImportResponse } from '@scriptward/sdk'
import Papa from 'papaparse'
import { Badge } from '../../../components/badge.tsx'
import { FORMULA } from '../../../lib/csv.ts'
import { number } from '../../../lib/format.ts'
import { useIsPhone } from '../../../lib/narrow.ts'
import { saveText } from '../../../lib/save-text.ts'
import { shortKey } from '../../../lib/short-key.ts'
import { exactly } from '../../../lib/when.ts'
import { text } from '../../../messages/text.ts'
import { TONES } from '../user.ts'
import styles from '../users.module.css'
import type { Sheet } from './sheet.ts'

export type Verdict = V1ProjectUsersImportResponse

type Props = {
  readonly sheet: Sheet
  readonly verdict: Verdict
  readonly isPending: boolean
  readonly onBack: () => void
  readonly onImport: () => void
}

export function VerdictStep({ sheet, verdict, isPending, onBack, onImport }: Props) {
  const t = text.users
  const { imported, skipped, fits, places_left } = verdict
  return (
    <div className="stack">
      <div className={styles.verdict} role="status">
        <strong>{t.wouldImport(imported)}</strong>
        {skipped > 0 && <span>{t.wouldSkip(skipped)}</span>}
      </div>
      {verdict.from && <Origin verdict={verdict} />}
      {fits === false && (
        <p className="notice warn" role="alert">
          {t.noPlaces(places_left ?? 0)}
        </p>
      )}
      <Verdicts sheet={sheet} verdict={verdict} />
      {isPending && <p role="status">{t.importing(imported)}</p>}
      <div className="bar end">
        <button type="button" disabled={isPending} onClick={onBack}>
          {t.goBack}
        </button>
        <button
          type="button"
          className="main"
          disabled={isPending || imported === 0 || fits === false}
          onClick={onImport}
        >
          {t.importCount(imported)}
        </button>
      </div>
    </div>
  )
}

/** Names of the services in their own spelling. */
const SERVICES: Readonly<Record<string, string>> = {
  luarmor: 'Luarmor',
  luaauth: 'LuaAuth',
  junkie: 'Junkie',
  aureva: 'Aureva',
  leaf7: 'Leaf7',
  keyauth: 'KeyAuth',
  keygen: 'Keygen',
  csv: 'CSV',
}

/** The detected service, the mapping of its fields, and the fields that were ignored. */
function Origin({ verdict: { from = '', mapped = {}, unknown_members = [] } }: { verdict: Verdict }) {
  const t = text.users
  return (
    <details>
      <summary>{t.recordsOf(SERVICES[from] ?? from)}</summary>
      <ul className={styles.mapped}>
        {Object.entries(mapped).map(([theirs, ours]) => (
          <li key={theirs}>{t.becomes(theirs, ours)}</li>
        ))}
      </ul>
      {unknown_members.length > 0 && <p>{t.leftOut(unknown_members.join(', '))}</p>}
    </details>
  )
}

type DoneProps = Pick<Props, 'sheet' | 'verdict'> & { readonly onClose: () => void }

export function DoneStep({ sheet, verdict, onClose }: DoneProps) {
  const t = text.users
  return (
    <div className="stack">
      <div className="notice good" role="status">
        {t.wasImported(verdict.imported)} {verdict.skipped > 0 && t.wasSkipped(verdict.skipped)}
      </div>
      {verdict.skipped > 0 && <Verdicts sheet={sheet} verdict={verdict} isOver />}
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {t.finished}
        </button>
      </div>
    </div>
  )
}

const SHOWN_WRONG = 100
const SHOWN_GOOD = 5

function Verdicts({ sheet, verdict, isOver }: Pick<Props, 'sheet' | 'verdict'> & { isOver?: boolean }) {
  const t = text.users
  const { skipped, skipped_entries, samples = [] } = verdict
  return (
    <>
      {!isOver && samples.length > 0 && <Samples samples={samples.slice(0, SHOWN_GOOD)} />}
      {skipped > 0 && <Skipped sheet={sheet} skipped={skipped_entries.slice(0, SHOWN_WRONG)} />}
      {skipped > 0 && (
        <div className="bar between">
          <span className="hint">
            {skipped > skipped_entries.length && t.onlyFirst(skipped_entries.length)}
          </span>
          <button type="button" onClick={() => saveText('skipped.csv', skippedCsv(sheet, verdict))}>
            {t.downloadSkipped}
          </button>
        </div>
      )}
    </>
  )
}

type SamplesProps = { readonly samples: NonNullable<Verdict['samples']> }

/** The first users as they will be after the import, which may differ from their rows. */
function Samples({ samples }: SamplesProps) {
  const t = text.users
  const isPhone = useIsPhone()
  return (
    <section className={styles.scroll} aria-label={t.fine}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.row}</th>
            <th scope="col">{t.keyAndNote}</th>
            {!isPhone && <th scope="col">{t.importMembers.chat_id}</th>}
            <th scope="col">{t.importMembers.key_expires}</th>
            {!isPhone && <th scope="col">{t.status}</th>}
            {!isPhone && (
              <th scope="col" className={styles.count}>
                {t.executions}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {samples.map((sample) => (
            <SampleRow key={sample.index} sample={sample} isPhone={isPhone} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type Sample = SamplesProps['samples'][number]

function SampleRow({ sample, isPhone }: { sample: Sample; isPhone: boolean }) {
  const t = text.users
  const { index, user_key, note, chat_id, key_expires, executions } = sample
  return (
    <tr>
      <td>{number(index + 1)}</td>
      <td>
        <code className={styles.tight} title={user_key ?? undefined}>
          {user_key === null ? t.newKey : shortKey(user_key)}
        </code>
        {note !== null && <div dir="auto">{note}</div>}
        {isPhone && (
          <div className={`hint ${styles.tight}`}>
            <SampleStatus sample={sample} /> {t.importRuns(executions)}
          </div>
        )}
      </td>
      {!isPhone && <td dir="auto">{chat_id}</td>}
      <td>{key_expires !== null && exactly(key_expires)}</td>
      {!isPhone && (
        <td>
          <SampleStatus sample={sample} />
        </td>
      )}
      {!isPhone && <td className={styles.count}>{number(executions)}</td>}
    </tr>
  )
}

/**
 * Shows only a status that would prevent the key from running. Everything else is decided during the import.
 */
function SampleStatus({ sample: { blacklisted, paused, key_expires } }: { sample: Sample }) {
  const { statuses, importReady } = text.users
  const isExpired = key_expires !== null && key_expires <= Date.now()
  const status = blacklisted ? 'blacklisted' : paused ? 'paused' : isExpired ? 'expired' : undefined
  if (status === undefined) return <Badge tone="plain">{importReady}</Badge>
  return <Badge tone={TONES[status]}>{statuses[status]}</Badge>
}

type SkippedProps = { readonly sheet: Sheet; readonly skipped: Verdict['skipped_entries'] }

function Skipped({ sheet, skipped }: SkippedProps) {
  const t = text.users
  return (
    <section className={styles.scroll} aria-label={t.skipped}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.row}</th>
            <th scope="col">{t.skipped}</th>
            <th scope="col">{t.content}</th>
          </tr>
        </thead>
        <tbody>
          {skipped.map(({ index, reason }) => (
            <tr key={index}>
              <td>{number(index + 1)}</td>
              <td>{reason}</td>
              <td className="hint">{contentOf(sheet, index)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function contentOf({ rows }: Sheet, index: number): string {
  const values = Object.values(rows[index] ?? {}).map(String)
  return values.filter((value) => value !== '').join(', ')
}

/** Exports the skipped rows unchanged, with their position and the reason. */
function skippedCsv({ columns, rows }: Sheet, { skipped_entries }: Verdict): string {
  const data = skipped_entries.map(({ index, reason }) => [
    index + 1,
    reason,
    ...columns.map((column) => rows[index]?.[column] ?? ''),
  ])
  return Papa.unparse({ fields: ['row', 'reason', ...columns], data }, { escapeFormulae: FORMULA })
}
