import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { Addresses } from './addresses.tsx'
import { Deliveries } from './deliveries.tsx'
import { EventList } from './event-list.tsx'
import { MoreAddresses } from './more-addresses.tsx'
import { Verify } from './verify.tsx'

export function WebhooksPage() {
  return (
    <>
      <PageTitle title={text.frame.webhooks} intro={text.webhooks.intro} />
      <Addresses />
      <MoreAddresses />
      <Deliveries />
      <Verify />
      <EventList />
    </>
  )
}
