/** Maps columns to fields, with sample values. */
import { useIsPhone } from '../../../lib/narrow.ts'
import { text } from '../../../messages/text.ts'
import styles from '../users.module.css'
import { type Mapping, MEMBERS, type Member, withMember } from './mapping.ts'
import type { Sheet } from './sheet.ts'

type Props = {
  readonly sheet: Sheet
  readonly mapping: Mapping
  readonly isPending: boolean
  readonly onMapping: (mapping: Mapping) => void
  readonly onBack: () => void
  readonly onCheck: () => void
}

const EXAMPLES = 3

export function MappingStep({ sheet, mapping, isPending, onMapping, onBack, onCheck }: Props) {
  const t = text.users
  // Three columns don't fit on a phone.
  const isPhone = useIsPhone()
  const isAny = Object.values(mapping).some((member) => member !== '')
  const examples = (column: string) =>
    sheet.rows
      .slice(0, EXAMPLES)
      .map((row) => String(row[column] ?? ''))
      .filter((value) => value !== '')
      .join(', ')
  return (
    <div className="stack">
      <p>{t.mappingIntro(sheet.rows.length)}</p>
      <section className={styles.scroll} aria-label={t.mapping}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.column}</th>
              {!isPhone && <th scope="col">{t.firstValues}</th>}
              <th scope="col">{t.isWhat}</th>
            </tr>
          </thead>
          <tbody>
            {sheet.columns.map((column) => (
              <tr key={column}>
                <th scope="row" className={styles.source}>
                  {column}
                  {isPhone && <div className="hint">{examples(column)}</div>}
                </th>
                {!isPhone && <td className="hint">{examples(column)}</td>}
                <td>
                  <select
                    aria-label={t.isWhatOf(column)}
                    value={mapping[column] ?? ''}
                    onChange={(event) =>
                      onMapping(withMember(mapping, column, event.target.value as Member | ''))
                    }
                  >
                    <option value="">{t.leaveOut}</option>
                    {MEMBERS.map((member) => (
                      <option key={member} value={member}>
                        {t.importMembers[member]}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isPending && <p role="status">{t.checking(sheet.rows.length)}</p>}
      <div className="bar end">
        <button type="button" disabled={isPending} onClick={onBack}>
          {t.goBack}
        </button>
        <button type="button" className="main" disabled={isPending || !isAny} onClick={onCheck}>
          {t.check}
        </button>
      </div>
    </div>
  )
}
