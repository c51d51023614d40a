/** Toasts that report what was done, with an undo button where possible. */
import { Toast as Base } from '@base-ui/react/toast'
import { createContext, type ReactNode, useContext } from 'react'
import { text } from '../../messages/text.ts'
import styles from './toasts.module.css'

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider>
      {children}
      <Base.Portal>
        <Base.Viewport className={styles.viewport} aria-label={text.frame.notifications}>
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

export type Toast = { readonly title: string; readonly undo?: () => void }

/** Set by drawers, because they cover the toasts of the page. */
export const ToastContext = createContext<((toast: Toast) => void) | null>(null)

/** Shows a toast; with `undo` it stays for ten seconds. */
export function useToast(): (toast: Toast) => void {
  const { add } = Base.useToastManager()
  const inside = useContext(ToastContext)
  if (inside !== null) return inside
  return ({ title, undo }) =>
    void add({
      title,
      timeout: undo === undefined ? 5_000 : 10_000,
      ...(undo && { actionProps: { children: text.frame.undo, onClick: undo } }),
    })
}

function List() {
  const { toasts } = Base.useToastManager()
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={styles.toast}>
      <Base.Title render={<p />} />
      {toast.actionProps && <Base.Action />}
      <Base.Close className={styles.close} aria-label={text.frame.dismiss}>
        ×
      </Base.Close>
    </Base.Root>
  ))
}
