import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { PlansPanel } from './limits.tsx'
import { useOwnAccount } from './own-account.ts'
import { PlanPanel } from './plan.tsx'

export function TierPage() {
  const query = useOwnAccount()
  return (
    <>
      <PageTitle title={text.accountPages.tier} intro={text.accountPages.tierIntro} />
      <PlanPanel query={query} />
      <PlansPanel own={query.data?.tier} />
    </>
  )
}
