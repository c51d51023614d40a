/** Chooses when an account expires: never, or on a date. */
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import { NEVER } from './queries.ts'

/** A day in the format of date fields; empty for accounts that do not expire. */
export type PlanEndDraft = { readonly isEndless: boolean; readonly day: string }
type Props = {
  readonly value: PlanEndDraft
  readonly error: string | undefined
  readonly onChange: (value: PlanEndDraft) => void
}

export function PlanEndField({ value, error, onChange }: Props) {
  const set = (isEndless: boolean) => onChange({ ...value, isEndless })
  return (
    <ChoiceGroup legend={operatorsText.endKind}>
      <Check
        radio="plan-end"
        label={operatorsText.neverEnds}
        checked={value.isEndless}
        onChange={() => set(true)}
      />
      <Check
        radio="plan-end"
        label={operatorsText.endOnDay}
        checked={!value.isEndless}
        onChange={() => set(false)}
      />
      {!value.isEndless && (
        <Field
          label={operatorsText.lastDay}
          type="date"
          error={error}
          value={value.day}
          onChange={(event) => onChange({ ...value, day: event.target.value })}
        />
      )}
    </ChoiceGroup>
  )
}

export function planEndOf(at: number, isEndless: boolean): PlanEndDraft {
  return { isEndless, day: isEndless ? '' : dayOf(at) }
}

/** Includes the entire last day in the browser's time zone. Returns undefined while no day is chosen. */
export function timeOf({ isEndless, day }: PlanEndDraft): number | undefined {
  if (isEndless) return NEVER
  const end = Date.parse(`${day}T23:59:59.999`)
  return Number.isNaN(end) ? undefined : end
}

function dayOf(at: number): string {
  const time = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}
