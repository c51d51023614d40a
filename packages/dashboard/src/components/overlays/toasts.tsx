/** Toasts that report what was done, with an undo button where possible. */
import { Toast as Base } from '@base-ui/react/toast'
import { createContext, type ReactNode, useContext } from 'react'
import { text } from '../../messages/text.ts'
import styles from './toasts.module.css'
import { type Toast, UndoButton } from './undo-button.tsx'

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

/** Set by drawers, because they cover the toasts of the page. */
export const ToastContext = createContext<((toast: Toast) => void) | null>(null)

/** The ID of a toast without an undo. It disappears when there is a newer one, because it may be outdated. */
const PLAIN = 'plain'

/** Shows a toast; with `undo` it stays for ten seconds. */
export function useToast(): (toast: Toast) => void {
  const { add, close } = Base.useToastManager<Toast>()
  const inside = useContext(ToastContext)
  const show = (toast: Toast) => {
    if (toast.undo) close(PLAIN)
    add({ ...(!toast.undo && { id: PLAIN }), ...shown(toast) })
  }
  return inside ?? show
}

function shown(toast: Toast) {
  const { title, undo, isPending } = toast
  // Toasts of the type "loading" stay.
  return {
    title,
    type: isPending ? 'loading' : 'done',
    timeout: undo === undefined ? 5_000 : 10_000,
    data: toast,
  }
}

function List() {
  const { toasts, add } = Base.useToastManager<Toast>()
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={styles.toast}>
      <Base.Title render={<p />} />
      {toast.data?.undo && (
        <UndoButton undo={toast.data.undo} onToast={(next) => add({ id: toast.id, ...shown(next) })} />
      )}
      <Base.Close className={styles.close} aria-label={text.frame.dismiss}>
        ×
      </Base.Close>
    </Base.Root>
  ))
}
