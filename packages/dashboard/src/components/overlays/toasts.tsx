/** Toasts that report completed actions, with an undo button where possible. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import type { Toast } from './undo-button.tsx'
import { useWhenUsed } from './use-when-used.ts'

const ShowContext = createContext<(toast: Toast) => void>(() => {})
/** Set by drawers, because a drawer covers the toasts of the page. */
export const ToastContext = createContext<((toast: Toast) => void) | null>(null)

const loadList = async () => (await import('./toast-list.tsx')).ToastList
/** Toasts report user actions, so their code is loaded with the first action. */
const DEEDS = ['pointerdown', 'keydown'] as const

export function Toasts({ children }: { children: ReactNode }) {
  const { code: List, prepare, use } = useWhenUsed(loadList)
  const [queue] = useState<Toast[]>(() => [])
  const [newest, setNewest] = useState<Toast>()
  const show = useCallback(
    (toast: Toast) => {
      queue.push(toast)
      setNewest(toast)
      use()
    },
    [queue, use],
  )
  useEffect(() => {
    for (const deed of DEEDS) addEventListener(deed, prepare, { once: true })
    return () => {
      for (const deed of DEEDS) removeEventListener(deed, prepare)
    }
  }, [prepare])
  return (
    <ShowContext value={show}>
      {children}
      {List && <List queue={queue} newest={newest} />}
    </ShowContext>
  )
}

/** Shows a toast; with `undo` it stays for ten seconds. */
export function useToast(): (toast: Toast) => void {
  const show = useContext(ShowContext)
  return useContext(ToastContext) ?? show
}
