/** A side panel for one entry of a list. The list keeps its state. */
import { type ReactNode, useEffect, useState } from 'react'
import { text } from '../../messages/text.ts'
import { Dialog } from './dialog.tsx'
import styles from './drawer.module.css'
import { type Toast, ToastContext } from './toasts.tsx'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

const SHOWN_MS = 10_000

export function Drawer({ children, ...given }: Props) {
  const [toast, setToast] = useState<Toast>()
  useEffect(() => {
    if (toast === undefined) return
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <Dialog {...given} isDrawer>
      <div role="status" className={styles.toast}>
        {toast && (
          <div className="notice good">
            <span>{toast.title}</span>
            {toast.undo && (
              <button type="button" onClick={toast.undo}>
                {text.frame.undo}
              </button>
            )}
          </div>
        )}
      </div>
      <ToastContext value={setToast}>{children}</ToastContext>
    </Dialog>
  )
}
