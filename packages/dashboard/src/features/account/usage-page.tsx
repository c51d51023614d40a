import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { RequestsPanel } from './limits.tsx'
import { UsagePanels } from './usage.tsx'

export function UsagePage() {
  return (
    <>
      <PageTitle title={text.accountPages.usage} intro={text.accountPages.usageIntro} />
      <UsagePanels />
      <RequestsPanel />
    </>
  )
}
