/** The frame around every page: who is signed in decides what there is to see. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { addressOf, usePlace } from './address.ts'
import { ApiProvider } from './api.ts'
import { forgetKey, storeKey, takeLinkedKey } from './key.ts'
import { ProjectPage } from './pages/project.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { SwitchPage } from './pages/switch.tsx'
import { AccountName } from './parts/account-name.tsx'
import { text } from './text.ts'

export function App(given: { firstKey: string | null; linkedKey: string | null }) {
  const { key, offered, signIn, signOut, stay } = useKeys(given)
  if (key === null) return <SignInPage onKey={signIn} />
  if (offered !== null)
    return <SwitchPage current={key} offered={offered} onStay={stay} onSwitch={() => signIn(offered)} />
  return (
    <ApiProvider apiKey={key} onRefused={signOut} key={key}>
      <header>
        <a href={addressOf.projects} className="product">
          {text.product}
        </a>
        <AccountName />
        <button type="button" onClick={signOut}>
          {text.signOut}
        </button>
      </header>
      <main>
        <Page />
      </main>
    </ApiProvider>
  )
}

/** The key in use, and one that a link offers instead of it. */
function useKeys({ firstKey, linkedKey }: { firstKey: string | null; linkedKey: string | null }) {
  const [key, setKey] = useState(firstKey)
  const [offered, setOffered] = useState(linkedKey)
  const queries = useQueryClient()
  const use = (given: string | null) => {
    if (given === null) forgetKey()
    else storeKey(given)
    queries.clear()
    setKey(given)
    setOffered(null)
  }
  useEffect(() => {
    const onHash = () => setOffered((before) => takeLinkedKey() ?? before)
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  useEffect(() => {
    // In a tab without a key there is none to replace.
    if (key === null && offered !== null) use(offered)
  })
  return {
    key,
    offered: offered === key ? null : offered,
    signIn: (given: string) => use(given),
    signOut: () => use(null),
    stay: () => setOffered(null),
  }
}

function Page() {
  const place = usePlace()
  return place.page === 'project' ? <ProjectPage id={place.id} key={place.id} /> : <ProjectsPage />
}
