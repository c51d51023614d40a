/** Shows the result of the API for each row, before and after the import. */
import type { V1ProjectUsersImportResponse } from '@scriptward/sdk'
import Papa from 'papaparse'
import { Badge } from '../../../components/badge.tsx'
import { number } from '../../../lib/format.ts'
import { saveText } from '../../../lib/save-text.ts'
import { text } from '../../../messages/text.ts'
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

/** Brand spelling of the services. */
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
  const { skipped, skipped_entries } = verdict
  const wrong = new Set(skipped_entries.map(({ index }) => index))
  const good = isOver ? [] : [...sheet.rows.keys()].filter((index) => !wrong.has(index)).slice(0, SHOWN_GOOD)
  return (
    <>
      <section className={styles.scroll} aria-label={t.verdicts}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.row}</th>
              <th scope="col">{t.verdict}</th>
              <th scope="col">{t.content}</th>
            </tr>
          </thead>
          <tbody>
            {skipped_entries.slice(0, SHOWN_WRONG).map(({ index, reason }) => (
              <tr key={index}>
                <td>{number(index + 1)}</td>
                <td>
                  <Badge tone="bad">{t.skipped}</Badge> {reason}
                </td>
                <td className="hint">{contentOf(sheet, index)}</td>
              </tr>
            ))}
            {good.map((index) => (
              <tr key={index}>
                <td>{number(index + 1)}</td>
                <td>
                  <Badge tone="good">{t.fine}</Badge>
                </td>
                <td className="hint">{contentOf(sheet, index)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
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

function contentOf({ rows }: Sheet, index: number): string {
  const values = Object.values(rows[index] ?? {}).map(String)
  return values.filter((value) => value !== '').join(', ')
}

/** Exports skipped rows unchanged, with position and reason. */
function skippedCsv({ columns, rows }: Sheet, { skipped_entries }: Verdict): string {
  const data = skipped_entries.map(({ index, reason }) => [
    index + 1,
    reason,
    ...columns.map((column) => rows[index]?.[column] ?? ''),
  ])
  return Papa.unparse({ fields: ['row', 'reason', ...columns], data }, { escapeFormulae: true })
}
