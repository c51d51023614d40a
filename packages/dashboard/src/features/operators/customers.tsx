/** Accounts and dashboard users, for operators. */

import { PageTitle } from '../../components/page-title.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useFilters } from '../../lib/address.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { CustomerList } from './customer-list.tsx'
import { PeopleList } from './people-list.tsx'

export function CustomersPage() {
  const [{ tab = 'customers' }, change] = useFilters()
  return (
    <>
      <PageTitle title={text.frame.customers} intro={operatorsText.customersIntro} />
      <Tabs
        label={text.frame.customers}
        chosen={tab === 'people' ? tab : 'customers'}
        onChoose={(id) => change({ tab: id === 'customers' ? undefined : id })}
        tabs={[
          { id: 'customers', title: operatorsText.customersTab, content: <CustomerList /> },
          { id: 'people', title: operatorsText.peopleTab, content: <PeopleList /> },
        ]}
      />
    </>
  )
}
