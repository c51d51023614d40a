// These style sheets are imported first, so that component and page styles override them.
import '@fontsource-variable/inter/wght.css'
import './design/tokens.css'
import './design/base.css'

import { ServiceError } from '@scriptward/sdk'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { ignoreDoubleClicks } from './lib/double-click.ts'
import { takeExternalAnswer } from './lib/external-captcha.ts'
import { makeRouter } from './router.tsx'

/** Doesn't retry API errors, because they are final. */
const retry = (failures: number, error: unknown) => failures < 1 && !(error instanceof ServiceError)
/** While offline, mutations fail immediately instead of being queued silently. */
const mutations = { networkMode: 'always' } as const
const queries = new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5_000 }, mutations } })
const root = document.getElementById('root')
takeExternalAnswer()
ignoreDoubleClicks()
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
