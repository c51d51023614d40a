import { Toast as Base } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { text } from '../../messages/text.ts'
import styles from './toasts.module.css'
import { type Toast, UndoButton } from './undo-button.tsx'

type Props = {
  /** Queued toasts that the list has not displayed yet. */
  readonly queue: Toast[]
  readonly newest: Toast | undefined
}

export function ToastList(given: Props) {
  return (
    <Base.Provider>
      <Base.Portal>
        <Base.Viewport className={styles.viewport} aria-label={text.frame.notifications}>
          <List {...given} />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

/**
 * ID of the visible toast without an undo. A newer toast replaces it, because its message may be outdated.
 */
const PLAIN = 'plain'

function List({ queue, newest }: Props) {
  const { toasts, add, close } = Base.useToastManager<Toast>()
  // Added after the list is on the page, because screen readers announce only what appears in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the queue has the newest toast.
  useEffect(() => {
    for (const toast of queue.splice(0)) {
      if (toast.undo) close(PLAIN)
      add({ ...(!toast.undo && { id: PLAIN }), ...shown(toast) })
    }
  }, [newest, queue, add, close])
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

function shown(toast: Toast) {
  const { title, undo, isPending } = toast
  // Toasts of type "loading" don't time out.
  return {
    title,
    type: isPending ? 'loading' : 'done',
    timeout: undo === undefined ? 5_000 : 10_000,
    data: toast,
  }
}
