/** Accounts and dashboard users, for operators. */

import { PageTitle } from '../../components/page-title.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { CustomerList } from './customer-list.tsx'
import { PeopleList } from './people-list.tsx'

export function CustomersPage() {
  const [{ tab = 'customers' }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.customers} intro={text.operators.customersIntro} />
      <Tabs
        label={text.frame.customers}
        chosen={tab === 'people' ? tab : 'customers'}
        onChoose={(id) => change({ tab: id === 'customers' ? undefined : id })}
        tabs={[
          { id: 'customers', title: text.operators.customersTab, content: <CustomerList /> },
          { id: 'people', title: text.operators.peopleTab, content: <PeopleList /> },
        ]}
      />
    </>
  )
}
