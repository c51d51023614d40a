/** How long a key is valid: by its plan, or by its own clock. */
import type { UseFormReturn } from 'react-hook-form'
import { Controller } from 'react-hook-form'
import { DurationField } from '../../../components/fields/duration-field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { text } from '../../../messages/text.ts'
import type { User } from '../user.ts'
import type { Draft } from './edits.ts'
import { type ClockDraft, clockOptions } from './own-clock.ts'

type Props = {
  readonly form: UseFormReturn<Draft>
  readonly user: User
  readonly error: string | undefined
}

export function ClockField({ form, user, error }: Props) {
  const t = text.plans
  const options = clockOptions(user, form.watch('plan_id') !== '')
  return (
    <Controller
      control={form.control}
      name="clock"
      render={({ field: { value, onChange } }) => {
        const change = (changes: Partial<ClockDraft>) => onChange({ ...value, ...changes })
        const isOwn = value.basis === 'first_use' || value.basis === 'creation'
        return (
          <fieldset className="stack tight">
            <legend className="unseen-text">{text.users.members.clock}</legend>
            <SelectField
              label={text.users.members.clock}
              value={value.basis}
              options={options}
              {...(!isOwn && { error })}
              onChange={(event) => change({ basis: event.target.value as ClockDraft['basis'] })}
            />
            {isOwn && (
              <DurationField
                label={t.duration}
                hint={t.ownDurationHint}
                error={error}
                amount={{
                  value: value.amount,
                  onChange: (event) => change({ amount: event.target.value }),
                }}
                unit={{
                  value: value.unit,
                  onChange: (event) => change({ unit: event.target.value as ClockDraft['unit'] }),
                }}
              />
            )}
            {isOwn && <p className="hint">{t.ownClockHint}</p>}
          </fieldset>
        )
      }}
    />
  )
}
