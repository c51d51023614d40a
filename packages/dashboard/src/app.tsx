/** The frame around every page: who is signed in decides what there is to see. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf, usePlace } from './address.ts'
import { ApiProvider } from './api.ts'
import { forgetKey, storeKey } from './key.ts'
import { ProjectPage } from './pages/project.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { text } from './text.ts'

export function App({ firstKey }: { firstKey: string | null }) {
  const [key, setKey] = useState(firstKey)
  const queries = useQueryClient()
  const signIn = (given: string) => {
    storeKey(given)
    setKey(given)
  }
  const signOut = () => {
    forgetKey()
    queries.clear()
    setKey(null)
  }
  if (key === null) return <SignInPage onKey={signIn} />
  return (
    <ApiProvider apiKey={key} onRefused={signOut}>
      <header>
        <a href={addressOf.projects} className="product">
          {text.product}
        </a>
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

function Page() {
  const place = usePlace()
  return place.page === 'project' ? <ProjectPage id={place.id} key={place.id} /> : <ProjectsPage />
}
