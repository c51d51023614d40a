/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { text } from '../../text/text.ts'

export function SystemPage() {
  return <PageTitle title={text.frame.system} />
}
