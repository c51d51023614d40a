import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { KeyPanel } from './key.tsx'
import { useOwnAccount } from './own-account.ts'
import { PathKeyPanel } from './path-key.tsx'

export function ApiAccessPage() {
  const { data } = useOwnAccount()
  return (
    <>
      <PageTitle title={text.accountPages.apiAccess} intro={text.accountPages.apiAccessIntro} />
      <KeyPanel waits={data?.api_key_waits ?? false} />
      {data && <PathKeyPanel account={data} />}
    </>
  )
}
