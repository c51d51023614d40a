import { PageTitle } from '../../components/page-title.tsx'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { Deliveries } from './deliveries.tsx'
import { Endpoints } from './endpoints.tsx'
import { EventList } from './event-list.tsx'
import { Verify } from './verify.tsx'

export function WebhooksPage() {
  return (
    <>
      <PageTitle title={text.frame.webhooks} intro={webhooksText.intro} />
      <Endpoints />
      <Deliveries />
      <Verify />
      <EventList />
    </>
  )
}
