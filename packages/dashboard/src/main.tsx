/** Starts the dashboard: one query cache, one connection, one router. */
import { ServiceError } from '@scriptward/sdk'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { takeExternalAnswer } from './lib/captcha.ts'
import { makeRouter } from './router.tsx'
import '@fontsource-variable/inter/wght.css'
import './design/tokens.css'
import './design/base.css'

/** A "no" of the service stays one. */
const retry = (failures: number, error: unknown) => failures < 1 && !(error instanceof ServiceError)
/** A change that cannot be sent says so at once, instead of waiting to be sent when nobody looks. */
const mutations = { networkMode: 'always' } as const
const queries = new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5_000 }, mutations } })
const root = document.getElementById('root')
takeExternalAnswer()
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
