/** Shows that the browser is offline. */
import { useSyncExternalStore } from 'react'
import { text } from '../messages/text.ts'

export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  if (isOnline) return null
  return (
    <p className="notice warn" role="status">
      {text.frame.offline}
    </p>
  )
}

function subscribe(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}
