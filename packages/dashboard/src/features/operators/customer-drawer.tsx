import { adminCustomersGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { useCall } from '../../queries/api.ts'
import { AccountStatus } from './account-status.tsx'
import { CustomerActions } from './customer-actions.tsx'
import { CustomerForm } from './customer-form.tsx'
import type { Customer, Tier } from './queries.ts'

type Props = { readonly id: string; readonly tiers: readonly Tier[]; readonly onClose: () => void }

export function CustomerDrawer({ id, tiers, onClose }: Props) {
  const call = useCall()
  const query = useQuery({
    queryKey: ['operators', 'customer', id],
    queryFn: async () => (await adminCustomersGet({ ...call, path: { id } })).data.customer,
  })
  const customer = query.data
  const showToast = useToast()
  const sayRemoved = () => {
    onClose()
    if (customer) showToast({ title: operatorsText.wasRemoved(customer.email) })
  }
  return (
    <Drawer title={customer?.email ?? id} onClose={onClose}>
      <QueryBoundary query={query}>
        {customer && (
          <>
            <AccountStatus of={customer} />
            {customer.blacklisted && customer.blacklist_reason && (
              <p className="notice warn">{operatorsText.reasonOf(customer.blacklist_reason)}</p>
            )}
            <CustomerForm customer={customer} tiers={tiers} />
            <Usage of={customer} />
            <CustomerActions customer={customer} onRemoved={sayRemoved} />
          </>
        )}
      </QueryBoundary>
    </Drawer>
  )
}

function Usage({ of }: { of: Customer }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    [operatorsText.id, <code key="id">{of.id}</code>],
    [operatorsText.created, exactly(of.created_at)],
    [operatorsText.projects, number(of.total_projects)],
    [operatorsText.scripts, number(of.total_scripts)],
    [operatorsText.users, number(of.total_users)],
    [operatorsText.blacklistedUsers, number(of.banned_users)],
    [operatorsText.unusedUsers, number(of.unused_users)],
    [operatorsText.executions, number(of.total_executions)],
    [operatorsText.sessions, number(of.total_sessions)],
    [operatorsText.builds, number(of.obfuscations_used)],
    [operatorsText.systems, number(of.total_systems)],
    [operatorsText.adUsers, number(of.total_ad_users)],
  ]
  return (
    <section className="stack tight">
      <h3>{operatorsText.usage}</h3>
      <dl className="facts-list">
        {rows.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
