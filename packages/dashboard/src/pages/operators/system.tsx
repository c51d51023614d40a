/** The service itself: whether it is well, and what operators changed in it. */
import { adminAuditList } from '@scriptward/sdk'
import { useMemo } from 'react'
import { useFilters } from '../../address.ts'
import { useCall } from '../../api.ts'
import { AuditLog, useAuditLog } from '../../parts/audit-log.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { text } from '../../text/text.ts'
import { Backups } from './backups.tsx'
import { useCustomers, usePeople } from './customers-api.ts'
import { Health } from './health.tsx'

const TABS = ['state', 'backups', 'changes']

export function SystemPage() {
  const [{ tab }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.system} intro={text.operators.systemIntro} />
      <Tabs
        label={text.frame.system}
        chosen={TABS.find((id) => id === tab) ?? 'state'}
        onChoose={(id) => change({ tab: id === 'state' ? undefined : id })}
        tabs={[
          { id: 'state', title: text.operators.stateTab, content: <Health /> },
          { id: 'backups', title: text.backups.tab, content: <Backups /> },
          { id: 'changes', title: text.operators.changesTab, content: <Changes /> },
        ]}
      />
    </>
  )
}

function Changes() {
  const call = useCall()
  const log = useAuditLog('operators audit', async (query) => (await adminAuditList({ ...call, query })).data)
  const customers = useCustomers().rows
  const people = usePeople().rows
  const names = useMemo(
    () => new Map([...customers, ...people].map(({ id, email }) => [id, email] as const)),
    [customers, people],
  )
  return <AuditLog {...log} reader="operators" moreNames={names} />
}
