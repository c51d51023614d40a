import { v1AccountGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { PageTitle } from '../../components/page-title.tsx'
import { useMe, useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { KeyPanel } from './key.tsx'
import { LeavePanel } from './leave.tsx'
import { PlansPanel, RequestsPanel } from './limits.tsx'
import { PathKeyPanel } from './path-key.tsx'
import { PlanPanel } from './plan.tsx'
import { UsagePanels } from './usage.tsx'

export function AccountPage() {
  const call = useCall()
  const { account } = useMe()
  const refusal = useRefusal('account:read')
  const query = useQuery({
    queryKey: ['account'],
    queryFn: async () => (await v1AccountGet(call)).data.customer,
    enabled: refusal === undefined,
  })
  return (
    <>
      <PageTitle title={text.accountTitle} intro={account?.email} />
      <PlanPanel query={query} />
      <KeyPanel waits={query.data?.api_key_waits ?? false} />
      {query.data && <PathKeyPanel account={query.data} />}
      <UsagePanels />
      <PlansPanel />
      <RequestsPanel />
      <LeavePanel />
    </>
  )
}
