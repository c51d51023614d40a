import { lazy, Suspense, useState } from 'react'
import { text } from '../../messages/text.ts'

const CallsDialog = lazy(async () => ({ default: (await import('./calls-dialog.tsx')).CallsDialog }))

/** Opens the page's latest API calls. */
export function ApiCallButton() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" className="quiet api-call" onClick={() => setIsOpen(true)}>
        {text.frame.apiCall}
      </button>
      <Suspense>{isOpen && <CallsDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  )
}
