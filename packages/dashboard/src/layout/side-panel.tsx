/**
 * In narrow windows, shows the sidebar over the page. The browser traps the focus. Esc or a click outside
 * closes the sidebar.
 */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { text } from '../messages/text.ts'
import styles from './app-shell.module.css'

export function SidePanel({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Closes the dialog before unmounting, because a dialog restores the focus only when it is closed.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element?.open === false) element.showModal()
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link clicks it, too.
    <dialog
      ref={dialog}
      className={styles.panel}
      aria-label={text.frame.sidebar}
      closedby="any"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a') !== null) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
