/** A side panel for one entry of a list. The list keeps its state. */
import { type ReactNode, useEffect, useState } from 'react'
import { useIsWide } from '../../lib/narrow.ts'
import { Dialog } from './dialog.tsx'
import styles from './drawer.module.css'
import { ToastContext } from './toasts.tsx'
import { type Toast, UndoButton } from './undo-button.tsx'

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** Whether the drawer is next to its list in wide windows, so that the list stays usable. */
  readonly isBeside?: boolean
  readonly children: ReactNode
}

const SHOWN_MS = 10_000

export function Drawer({ children, isBeside = false, ...given }: Props) {
  const isWide = useIsWide()
  const [toast, setToast] = useState<Toast>()
  useEffect(() => {
    if (toast === undefined || toast.isPending) return
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <Dialog {...given} isDrawer isBeside={isBeside && isWide}>
      <div role="status" className={styles.toast}>
        {toast && (
          <div className="notice good">
            <span>{toast.title}</span>
            {toast.undo && <UndoButton undo={toast.undo} onToast={setToast} />}
          </div>
        )}
      </div>
      <ToastContext value={setToast}>{children}</ToastContext>
    </Dialog>
  )
}
