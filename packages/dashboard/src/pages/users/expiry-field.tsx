/** Chooses when something ends, and says in words what was chosen. */
import { useId } from 'react'
import { About, describedBy, Field } from '../../parts/field.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { text } from '../../text/text.ts'
import { type Expiry, timeOf, UNIT_NAMES, type Unit } from './expiry.ts'
import { expiryWords } from './user.ts'
import styles from './users.module.css'

type Given = {
  readonly label: string
  readonly value: Expiry
  readonly onChange: (value: Expiry) => void
  readonly error?: string | undefined
}

export function ExpiryField({ label, value, onChange, error }: Given) {
  const t = text.users
  const id = useId()
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
            ['never', t.never],
            ['in', t.afterWhile],
            ['at', t.atTime],
          ]}
          onChange={(event) => change({ kind: event.target.value as Expiry['kind'] })}
        />
        {value.kind === 'in' && <LengthField value={value} onChange={change} />}
        {value.kind === 'at' && (
          <Field
            label={t.date}
            type="datetime-local"
            value={value.date}
            {...describedBy(id, undefined, error)}
            onChange={(event) => change({ date: event.target.value })}
          />
        )}
      </div>
      <About id={id} hint={words} error={error} />
    </fieldset>
  )
}

type LengthGiven = {
  readonly value: Pick<Expiry, 'amount' | 'unit'>
  readonly onChange: (changes: { amount?: string; unit?: Unit }) => void
}

/** A length of time as a number of hours, days, weeks or months. */
export function LengthField({ value, onChange }: LengthGiven) {
  const t = text.users
  return (
    <>
      <Field
        label={t.amount}
        inputMode="decimal"
        value={value.amount}
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
