/** The state of an account as a badge. */
import { Badge } from '../../components/badge.tsx'
import { text } from '../../messages/text.ts'
import type { Customer } from './queries.ts'

export function AccountStatus({ of }: { of: Customer }) {
  return (
    <span className="bar">
      {badgeFor(of)}
      {of.admin && <Badge tone="plain">{text.operators.operator}</Badge>}
    </span>
  )
}

function badgeFor({ blacklisted, plan_expires }: Customer) {
  if (blacklisted) return <Badge tone="bad">{text.operators.blacklisted}</Badge>
  if (plan_expires <= Date.now()) return <Badge tone="warn">{text.operators.ended}</Badge>
  return <Badge tone="good">{text.operators.active}</Badge>
}
