/** A number of runs and their period, under one label. */
import { type ComponentProps, useId } from 'react'
import { About, describedBy } from '../../components/fields/field.tsx'
import { text } from '../../messages/text.ts'

const t = text.plans
type Props = {
  readonly error: string | undefined
  /** The result of `register` for each input. */
  readonly amount: ComponentProps<'input'>
  readonly period: ComponentProps<'select'>
}

export function QuotaField({ error, amount, period }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t.quota}</label>
      <div className="with-button">
        <input
          id={id}
          inputMode="numeric"
          autoComplete="off"
          {...describedBy(id, t.quotaHint, error)}
          {...amount}
        />
        <select aria-label={t.quotaPeriod} {...period}>
          {(['day', 'week', 'month'] as const).map((each) => (
            <option key={each} value={each}>
              {t.periods[each]}
            </option>
          ))}
        </select>
      </div>
      <About id={id} hint={t.quotaHint} error={error} />
    </div>
  )
}
