import type { SelectHTMLAttributes } from 'react'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { clockText, usePlans } from '../../../queries/plans.ts'

type Props = {
  readonly label?: string
  readonly error?: string | undefined
  /** The current plan, which is offered even if the list doesn't contain it. */
  readonly current?: { readonly id: string; readonly name: string } | undefined
} & SelectHTMLAttributes<HTMLSelectElement>

/** Hidden if the project has no plans. */
export function PlanField({ label = text.plans.plan, error, current, ...rest }: Props) {
  const t = text.plans
  const plans = usePlans().data ?? []
  const isFree = useRefusal('users:write') === undefined
  if (plans.length === 0 && current === undefined)
    return isFree ? null : <p className="notice warn">{t.nothingToIssue}</p>
  const isListed = plans.some(({ id }) => id === current?.id)
  return (
    <SelectField
      label={label}
      error={error}
      options={[
        ['', isFree ? t.noPlan : t.choosePlan],
        ...(current && !isListed ? [[current.id, current.name] as const] : []),
        ...plans
          .filter(({ resellable }) => isFree || resellable)
          .map(({ id, name, clock }) => [id, t.planAndClock(name, clockText(clock))] as const),
      ]}
      {...rest}
    />
  )
}
