/** An account's state as a badge. */
import { Badge } from '../../components/badge.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import type { Customer } from './queries.ts'

export function AccountStatus({ of }: { of: Customer }) {
  return (
    <span className="bar">
      {badgeFor(of)}
      {of.admin && <Badge tone="plain">{operatorsText.operator}</Badge>}
    </span>
  )
}

function badgeFor({ blacklisted, plan_expires }: Customer) {
  if (blacklisted) return <Badge tone="bad">{operatorsText.blacklisted}</Badge>
  if (plan_expires <= Date.now()) return <Badge tone="warn">{operatorsText.ended}</Badge>
  return <Badge tone="good">{operatorsText.active}</Badge>
}
