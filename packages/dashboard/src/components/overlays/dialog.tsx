/** A modal dialog. The browser traps the focus and restores it on close. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { text } from '../../messages/text.ts'
import { useChange } from '../../queries/api.ts'
import { ErrorMessage } from '../error-message.tsx'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly isWide?: boolean
  readonly isDrawer?: boolean
  /** The dialog closes only through its own buttons, because its content cannot be shown again. */
  readonly isKept?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, onClose, isWide, isDrawer, isKept, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closes before unmounting, because only a closed dialog restores the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element?.open === false) element.showModal()
    return () => element?.close()
  }, [])
  const cancel = (event: { target: unknown; currentTarget: unknown; preventDefault(): void }) => {
    // File inputs inside the dialog fire an event with the same name.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    onClose()
  }
  const look = isDrawer ? 'drawer' : isWide ? 'wide' : undefined
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={look}
      onCancel={cancel}
      closedby={isKept ? 'none' : 'closerequest'}
    >
      <div className="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {/* Placed after the content, because the browser focuses the first element. */}
      {!isKept && (
        <button type="button" className="quiet close" aria-label={text.frame.close} onClick={onClose}>
          ×
        </button>
      )}
    </dialog>
  )
}

type Form = Props & {
  readonly submit: string
  readonly isDanger?: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: () => void
}

export function FormDialog({ submit, isDanger, isPending, error, onSubmit, children, ...given }: Form) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog {...given}>
      <form className="stack" onSubmit={send}>
        {children}
        <ErrorMessage of={error} />
        <div className="bar end">
          <button type="button" onClick={given.onClose}>
            {text.cancel}
          </button>
          <button type="submit" className={isDanger ? 'danger' : 'main'} disabled={isPending}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

type Asked = {
  readonly title: string
  readonly words: string
  readonly submit: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** A confirmation dialog that closes after the action. */
export function ConfirmDialog({ title, words, submit, onConfirm, onClose }: Asked) {
  // Closes within the change, because the change may remove the element that shows this dialog.
  const change = useChange(async () => {
    await onConfirm()
    onClose()
  })
  return (
    <FormDialog
      title={title}
      submit={submit}
      isDanger
      isPending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined)}
    >
      <p>{words}</p>
    </FormDialog>
  )
}
