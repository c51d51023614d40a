/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { text } from '../../text/text.ts'

export function TiersPage() {
  return <PageTitle title={text.frame.tiers} />
}
