import { useId } from 'react'
import { Check, ChoiceGroup } from '../../../components/fields/choice-group.tsx'
import { DurationField } from '../../../components/fields/duration-field.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import type { Unit } from '../../../lib/durations.ts'
import { text } from '../../../messages/text.ts'
import type { Guard } from './queries.ts'
import { type Pace, type Ramp, rampText } from './ramp.ts'

const t = text.releases
const PACES = Object.keys(t.paces) as Pace[]

type Props = {
  readonly ramp: Ramp
  readonly onChange: (ramp: Ramp) => void
  readonly errorOf: (field: string) => string | undefined
  /** Hint shown below the percentage instead of its steps. */
  readonly hint?: string | undefined
}

export function RampFields({ ramp, onChange, errorOf, hint }: Props) {
  const name = useId()
  const set = (changes: Partial<Ramp>) => onChange({ ...ramp, ...changes })
  return (
    <>
      <ChoiceGroup legend={t.pace}>
        {PACES.map((pace) => (
          <Check
            key={pace}
            radio={name}
            label={t.paces[pace][0]}
            hint={t.paces[pace][1]}
            checked={ramp.pace === pace}
            onChange={() => set({ pace })}
          />
        ))}
      </ChoiceGroup>
      {ramp.pace !== 'all' && (
        <div className="row top">
          <Field
            label={t.percent}
            hint={t.percentHint}
            error={errorOf('percent')}
            inputMode="numeric"
            autoComplete="off"
            value={ramp.percent}
            onChange={(event) => set({ percent: event.target.value })}
          />
          {ramp.pace === 'steps' && (
            <DurationField
              label={t.over}
              hint={hint ?? rampText(ramp) ?? t.overHint}
              error={errorOf('over')}
              amount={{ value: ramp.amount, onChange: (event) => set({ amount: event.currentTarget.value }) }}
              unit={{
                value: ramp.unit,
                onChange: (event) => set({ unit: event.currentTarget.value as Unit }),
              }}
            />
          )}
        </div>
      )}
      <SelectField
        label={t.guard}
        options={Object.entries(t.guards)}
        value={ramp.guard}
        onChange={(event) => set({ guard: event.target.value as Guard })}
      />
    </>
  )
}
