import { type ComponentProps, useId } from 'react'
import { unitOptions } from '../../lib/durations.ts'
import { text } from '../../messages/text.ts'
import { About, describedBy } from './field.tsx'

type Props = {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  /** The result of `register` for each input. */
  readonly amount: ComponentProps<'input'>
  readonly unit: ComponentProps<'select'>
}

export function DurationField({ label, hint, error, amount, unit }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-button">
        <input id={id} inputMode="decimal" autoComplete="off" {...describedBy(id, hint, error)} {...amount} />
        <select aria-label={`${label}: ${text.durations.unit}`} {...unit}>
          {unitOptions().map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <About id={id} hint={hint} error={error} />
    </div>
  )
}
