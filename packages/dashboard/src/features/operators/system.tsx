/** System health and the operators' audit log. */
import { adminAuditList } from '@scriptward/sdk'
import { useMemo } from 'react'
import { AuditLog, useAuditLog } from '../../components/audit/audit-log.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useFilters } from '../../lib/address.ts'
import { backupsText, operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { Backups } from './backups.tsx'
import { Health } from './health.tsx'
import { useCustomers, usePeople } from './queries.ts'

const TABS = ['state', 'backups', 'changes']

export function SystemPage() {
  const [{ tab }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.system} intro={operatorsText.systemIntro} />
      <Tabs
        label={text.frame.system}
        chosen={TABS.find((id) => id === tab) ?? 'state'}
        onChoose={(id) => change({ tab: id === 'state' ? undefined : id })}
        tabs={[
          { id: 'state', title: operatorsText.stateTab, content: <Health /> },
          { id: 'backups', title: backupsText.tab, content: <Backups /> },
          { id: 'changes', title: operatorsText.changesTab, content: <Changes /> },
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
