/** To be written. */
import { PageTitle } from '../../parts/page-title.tsx'
import { text } from '../../text/text.ts'

export function CustomersPage() {
  return <PageTitle title={text.frame.customers} />
}
