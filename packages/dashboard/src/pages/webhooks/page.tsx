/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'

export function WebhooksPage() {
  const { name } = useProject()
  return <PageTitle title={text.frame.webhooks} intro={name} />
}
