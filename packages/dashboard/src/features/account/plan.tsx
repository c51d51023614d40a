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
import styles from './plan.module.css'

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
      <Used name={text.projects} used={account.total_projects} limit={tier?.max_projects} />
      <Used name={text.frame.scripts} used={account.total_scripts} limit={tier?.max_scripts} />
      <Used name={text.frame.users} used={account.total_users} limit={tier?.max_users} />
      <Used name={text.builds} used={account.obfuscations_used} limit={tier?.obfuscations}>
        {bonus > 0 && `, ${text.builtAs(bonus)}`}
      </Used>
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

type UsedProps = {
  readonly name: string
  readonly used: number
  /** A negative limit means unlimited. */
  readonly limit: number | undefined
  readonly children?: ReactNode
}

function Used({ name, used, limit = -1, children }: UsedProps) {
  if (limit < 0) {
    return (
      <Fact name={name}>
        {number(used)}
        {children}
      </Fact>
    )
  }
  return (
    <Fact name={name}>
      <span className={styles.used}>
        {text.usedOf(used, limit)}
        {children}
        <progress value={Math.min(used, limit)} max={Math.max(limit, 1)} aria-label={name} />
      </span>
    </Fact>
  )
}
