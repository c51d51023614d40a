/** The service itself: whether it is well, and what operators changed in it. */
import { adminAuditList } from '@scriptward/sdk'
import { useFilters } from '../../address.ts'
import { useCall } from '../../api.ts'
import { AuditLog, useAuditLog } from '../../parts/audit-log.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { text } from '../../text/text.ts'
import { ServiceState } from './health.tsx'

export function SystemPage() {
  const [{ tab }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.system} intro={text.operators.systemIntro} />
      <Tabs
        label={text.frame.system}
        chosen={tab === 'changes' ? tab : 'state'}
        onChoose={(id) => change({ tab: id === 'state' ? undefined : id })}
        tabs={[
          { id: 'state', title: text.operators.stateTab, content: <ServiceState /> },
          { id: 'changes', title: text.operators.changesTab, content: <Changes /> },
        ]}
      />
    </>
  )
}

function Changes() {
  const call = useCall()
  const log = useAuditLog('operators audit', async (query) => (await adminAuditList({ ...call, query })).data)
  return <AuditLog {...log} />
}
