/** The account's service tier and its usage. */
import { v1TiersGet } from '@scriptward/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { useMe, useRefusal } from '../../lib/rights.ts'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { OwnAccount } from './own-account.ts'

/** Date used for accounts that do not expire: the last day of the year 9999. */
const NO_END = Date.UTC(9999, 11, 31)

export function PlanPanel({ query }: { query: UseQueryResult<OwnAccount> }) {
  const { account, role } = useMe()
  const refusal = useRefusal('account:read')
  return (
    <section className="panel">
      <h2>{text.aboutAccount}</h2>
      <dl className="facts-list">
        <Fact name={text.accountMail}>{account?.email}</Fact>
        {role !== null && <Fact name={text.yourRole}>{text.roleNames[role] ?? role}</Fact>}
        {query.data && <Facts account={query.data} />}
      </dl>
      {refusal !== undefined && <p className="hint">{refusal}</p>}
      {refusal === undefined && !query.data && <QueryBoundary query={query}>{null}</QueryBoundary>}
    </section>
  )
}

function Facts({ account }: { account: OwnAccount }) {
  const call = useCall()
  const tier = useQuery({
    queryKey: ['tier', account.tier],
    queryFn: async () => (await v1TiersGet({ ...call, path: { tier: account.tier } })).data.tier,
  }).data
  const bonus = account.bonus_obfuscations_left
  return (
    <>
      <Fact name={text.plan}>{tier?.name ?? account.tier}</Fact>
      <Fact name={text.planEnd}>
        <PlanEnd at={account.plan_expires} />
      </Fact>
      <Fact name={text.projects}>{usedOf(account.total_projects, tier?.max_projects)}</Fact>
      <Fact name={text.frame.scripts}>{usedOf(account.total_scripts, tier?.max_scripts)}</Fact>
      <Fact name={text.frame.users}>{usedOf(account.total_users, tier?.max_users)}</Fact>
      <Fact name={text.builds}>
        {usedOf(account.obfuscations_used, tier?.obfuscations)}
        {bonus > 0 && `, ${text.builtAs(bonus)}`}
      </Fact>
      <Fact name={text.executions}>{number(account.total_executions)}</Fact>
      <Fact name={text.created}>{exactly(account.created_at)}</Fact>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function PlanEnd({ at }: { at: number }) {
  if (at >= NO_END) return text.planNever
  if (at > Date.now()) return <span title={exactly(at)}>{when(at)}</span>
  return <span className="badge bad">{text.planEnded(when(at))}</span>
}

/** A negative limit means unlimited. */
function usedOf(used: number, limit = -1): string {
  return limit < 0 ? number(used) : text.usedOf(used, limit)
}
