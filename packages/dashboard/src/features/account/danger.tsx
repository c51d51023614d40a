import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { LeavePanel } from './leave.tsx'

export function DangerPage() {
  return (
    <>
      <PageTitle title={text.accountPages.danger} intro={text.accountPages.dangerIntro} />
      <LeavePanel />
    </>
  )
}
