import { PageTitle } from '../../components/page-title.tsx'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { AboutPanel } from './about.tsx'
import { FactorPanel } from './factor.tsx'
import { PasskeysPanel } from './passkeys.tsx'
import { PasswordPanel } from './password.tsx'
import { SignInsPanel } from './sign-ins.tsx'

export function ProfilePage() {
  const { person } = useMe()
  if (person === null) return null
  return (
    <>
      <PageTitle title={text.profileTitle} />
      <AboutPanel person={person} />
      <PasswordPanel person={person} />
      <FactorPanel person={person} />
      <PasskeysPanel />
      <SignInsPanel />
    </>
  )
}
