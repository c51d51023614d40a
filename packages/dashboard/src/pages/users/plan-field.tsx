/** Chooses the plan that a key follows. */
import type { SelectHTMLAttributes } from 'react'
import { SelectField } from '../../parts/select-field.tsx'
import { text } from '../../text/text.ts'
import { clockText, usePlans } from '../plans-of.ts'

type Given = {
  readonly label?: string
  readonly error?: string | undefined
  /** The plan that the key follows now, which is offered also when the list does not have it. */
  readonly current?: { readonly id: string; readonly name: string } | undefined
} & SelectHTMLAttributes<HTMLSelectElement>

/** Nothing where the project has no plans. */
export function PlanField({ label = text.plans.plan, error, current, ...rest }: Given) {
  const t = text.plans
  const plans = usePlans().data ?? []
  if (plans.length === 0 && current === undefined) return null
  const isListed = plans.some(({ id }) => id === current?.id)
  return (
    <SelectField
      label={label}
      error={error}
      options={[
        ['', t.noPlan],
        ...(current && !isListed ? [[current.id, current.name] as const] : []),
        ...plans.map(({ id, name, clock }) => [id, t.planAndClock(name, clockText(clock))] as const),
      ]}
      {...rest}
    />
  )
}
