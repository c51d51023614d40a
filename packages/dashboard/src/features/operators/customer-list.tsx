import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { LoadedSearch, useLoadedSearch } from '../../components/table/loaded-search.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { AccountStatus } from './account-status.tsx'
import { CustomerDrawer } from './customer-drawer.tsx'
import { NewCustomer } from './new-customer.tsx'
import { type Customer, isEndless, type Tier, useCustomers, useTiers } from './queries.ts'

export function CustomerList() {
  const { query, rows, more, total } = useCustomers()
  const [{ customer: openId }, change] = useFilters()
  const [isNew, setIsNew] = useState(false)
  useDialogParam({ customer: 'admin' }, () => setIsNew(true))
  const tiers = useTiers().data ?? []
  const search = useLoadedSearch(rows, more, ({ email, id }) => `${email} ${id}`)
  return (
    <QueryBoundary query={query}>
      <div className="bar between">
        <LoadedSearch
          title={operatorsText.searchCustomers}
          value={search.sought}
          onChange={search.setSought}
        />
        <div className="bar">
          <ShownOf shown={search.found.length} total={total} />
          <button type="button" className="main" onClick={() => setIsNew(true)}>
            {operatorsText.newCustomer}
          </button>
        </div>
      </div>
      {search.isNothing ? (
        <Empty title={operatorsText.noneFound} hint={operatorsText.noneFoundHint} />
      ) : (
        <Table
          label={text.frame.customers}
          rows={search.found}
          keyOf={({ id }) => id}
          columns={columnsOf(tiers)}
          total={total}
          more={more}
          onOpen={({ id }) => change({ customer: id })}
        />
      )}
      {isNew && tiers.length > 0 && <NewCustomer tiers={tiers} onClose={() => setIsNew(false)} />}
      {openId !== undefined && (
        <CustomerDrawer
          id={openId}
          key={openId}
          tiers={tiers}
          onClose={() => change({ customer: undefined })}
        />
      )}
    </QueryBoundary>
  )
}

function columnsOf(tiers: readonly Tier[]): readonly Column<Customer>[] {
  const tierName = (id: number) => tiers.find((tier) => tier.id === id)?.name ?? number(id)
  const count = (id: string, title: string, of: (row: Customer) => number) =>
    ({ id, title, isNumber: true, cell: (row: Customer) => number(of(row)) }) as const
  return [
    { id: 'email', title: text.email, isMain: true, cell: ({ email }) => email },
    { id: 'status', title: operatorsText.status, place: 'end', cell: (row) => <AccountStatus of={row} /> },
    { id: 'tier', title: operatorsText.tier, place: 'below', cell: ({ tier }) => tierName(tier) },
    { id: 'ends', title: operatorsText.planEnds, place: 'end-below', cell: (row) => <PlanEnd of={row} /> },
    count('projects', operatorsText.projects, ({ total_projects }) => total_projects),
    count('users', operatorsText.users, ({ total_users }) => total_users),
    count('executions', operatorsText.executions, ({ total_executions }) => total_executions),
  ]
}

function PlanEnd({ of }: { of: Customer }) {
  return isEndless(of) ? operatorsText.neverEnds : <Time at={of.plan_expires} />
}
