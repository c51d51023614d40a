/** The profile of the person who is signed in: who they are, how they sign in, and where. */
import { PageTitle } from '../parts/page-title.tsx'
import { useMe } from '../rights.ts'
import { text } from '../text/text.ts'
import { AboutPanel } from './profile/about.tsx'
import { FactorPanel } from './profile/factor.tsx'
import { PasskeysPanel } from './profile/passkeys.tsx'
import { PasswordPanel } from './profile/password.tsx'
import { SignInsPanel } from './profile/sign-ins.tsx'

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
