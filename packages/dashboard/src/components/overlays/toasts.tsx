/** Short messages that pass by themselves: what was done, and how to take it back. */
import { Toast } from '@base-ui/react/toast'
import { createContext, type ReactNode, useContext } from 'react'
import { text } from '../../messages/text.ts'
import styles from './toasts.module.css'

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={text.frame.notifications}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

export type Said = { readonly title: string; readonly undo?: () => void }

/** What a drawer says, because it lies above the messages of the page. */
export const SayContext = createContext<((said: Said) => void) | null>(null)

/** Says what was done; with `undo` for ten seconds. */
export function useToast(): (said: Said) => void {
  const { add } = Toast.useToastManager()
  const inside = useContext(SayContext)
  if (inside !== null) return inside
  return ({ title, undo }) =>
    void add({
      title,
      timeout: undo === undefined ? 5_000 : 10_000,
      ...(undo && { actionProps: { children: text.frame.undo, onClick: undo } }),
    })
}

function List() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Title render={<p />} />
      {toast.actionProps && <Toast.Action />}
      <Toast.Close className={styles.close} aria-label={text.frame.dismiss}>
        ×
      </Toast.Close>
    </Toast.Root>
  ))
}
