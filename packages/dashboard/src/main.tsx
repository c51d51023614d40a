/** Starts the dashboard: one query cache, one key, one page at a time. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { storedKey, takeLinkedKey } from './key.ts'
import './style.css'

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } })
// Before the first drawing, which may come after the visitor went on to another fragment.
const linkedKey = takeLinkedKey()
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App firstKey={storedKey()} linkedKey={linkedKey} />
    </QueryClientProvider>
  </StrictMode>,
)
