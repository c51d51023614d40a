/** Field for an expiry. Describes the current choice. */
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { text } from '../../../messages/text.ts'
import { expiryWords } from '../user.ts'
import styles from '../users.module.css'
import { type Expiry, timeOf, UNIT_NAMES, type Unit } from './expiry.ts'

type Props = {
  readonly label: string
  /** Label for the "no expiry" option; defaults to "never". */
  readonly none?: string | undefined
  readonly hint?: string | undefined
  readonly value: Expiry
  readonly onChange: (value: Expiry) => void
  readonly error?: string | undefined
}

/** Label and hint for keys with a plan. */
export const PLANNED = { none: text.plans.asPlan, hint: text.plans.byHandHint } as const

export function ExpiryField({ label, none, hint, value, onChange, error }: Props) {
  const t = text.users
  const change = (changes: Partial<Expiry>) => onChange({ ...value, ...changes })
  const time = timeOf(value)
  const words = value.kind === 'never' ? undefined : time && expiryWords(time)
  return (
    <fieldset className="field">
      <legend className="unseen-text">{label}</legend>
      <div className={styles.length}>
        <SelectField
          label={label}
          value={value.kind}
          options={[
            ['never', none ?? t.never],
            ['in', t.afterWhile],
            ['at', t.atTime],
          ]}
          onChange={(event) => change({ kind: event.target.value as Expiry['kind'] })}
        />
        {value.kind === 'in' && <LengthField value={value} error={error} onChange={change} />}
        {value.kind === 'at' && (
          <Field
            label={t.date}
            type="datetime-local"
            value={value.date}
            error={error}
            onChange={(event) => change({ date: event.target.value })}
          />
        )}
      </div>
      {words !== undefined && <p className="hint">{words}</p>}
      {hint !== undefined && value.kind !== 'never' && <p className="hint">{hint}</p>}
    </fieldset>
  )
}

type LengthProps = {
  readonly value: Pick<Expiry, 'amount' | 'unit'>
  readonly error: string | undefined
  readonly onChange: (changes: { amount?: string; unit?: Unit }) => void
}

/** Fields for a duration in hours, days, weeks or months. */
export function LengthField({ value, error, onChange }: LengthProps) {
  const t = text.users
  return (
    <>
      <Field
        label={t.amount}
        inputMode="decimal"
        value={value.amount}
        error={error}
        onChange={(event) => onChange({ amount: event.target.value })}
      />
      <SelectField
        label={t.unit}
        value={value.unit}
        options={UNIT_NAMES.map((unit) => [unit, t.units[unit]])}
        onChange={(event) => onChange({ unit: event.target.value as Unit })}
      />
    </>
  )
}
