/**
 * A modal dialog, or a drawer next to its list. The browser traps the focus in a modal dialog, and restores
 * it on close.
 */
import {
  type FormEvent,
  type MouseEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import { text } from '../../messages/text.ts'
import { useChange } from '../../queries/api.ts'
import { ErrorMessage } from '../error-message.tsx'
import type { KeptInput } from '../fields/kept-input.ts'
import { useLeaveBlocker } from '../fields/leave-blocker.ts'
import { Restored } from '../fields/restored.tsx'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly isWide?: boolean
  readonly isDrawer?: boolean
  /** Whether the drawer is next to the page in wide windows, so that the page stays usable. */
  readonly isBeside?: boolean
  /** Whether the dialog closes only through its own buttons, because its content cannot be shown again. */
  readonly isKept?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, onClose, isWide, isDrawer, isBeside = false, isKept, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closes before unmounting, because only a closed dialog restores the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element?.open === false) {
      if (isBeside) element.show()
      else element.showModal()
    }
    return () => element?.close()
  }, [isBeside])
  const cancel = (event: { target: unknown; currentTarget: unknown; preventDefault(): void }) => {
    // File inputs inside the dialog fire an event with the same name.
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    onClose()
  }
  const look = isBeside ? 'drawer beside' : isDrawer ? 'drawer' : isWide ? 'wide' : undefined
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
      {/* This button comes after the content, because the browser focuses the first element. */}
      {!isKept && (
        <button type="button" className="quiet close" aria-label={text.frame.close} onClick={onClose}>
          ×
        </button>
      )}
    </dialog>
  )
}

type Form = Props & {
  /** Omit for forms without input. */
  readonly kept?: KeptInput
  readonly submit: string
  readonly isDanger?: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: () => void
}

export function FormDialog({ kept, submit, isDanger, isPending, error, onSubmit, children, ...given }: Form) {
  const { onClose } = given
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog {...given} onClose={() => (kept ? kept.leave(onClose) : onClose())}>
      <form className="stack" data-form={kept?.form} onSubmit={send}>
        {kept && <Restored kept={kept} />}
        {children}
        <ErrorMessage of={error} />
        <div className="bar end">
          <button type="button" onClick={() => (kept ? kept.discard(onClose) : onClose())}>
            {text.cancel}
          </button>
          <button type="submit" className={isDanger ? 'danger' : 'main'} disabled={isPending}>
            {submit}
          </button>
        </div>
        {kept && <KeptGuard kept={kept} />}
      </form>
    </Dialog>
  )
}

/** Asks for confirmation before the user loses unsaved input. */
export function KeptGuard({ kept }: { kept: KeptInput }) {
  const blocker = useLeaveBlocker(kept)
  const asked = useSyncExternalStore(kept.subscribe, kept.question)
  if (blocker.status === 'blocked') {
    const { proceed, reset } = blocker
    return <LossDialog about="leave" onAnswer={(isYes) => (isYes ? proceed() : reset())} />
  }
  return asked && <LossDialog about={asked.about} onAnswer={(isYes) => kept.answer(isYes)} />
}

type LossProps = { readonly about: 'leave' | 'discard'; readonly onAnswer: (isYes: boolean) => void }

/** Contains no form element, because the dialog is nested in the form whose input would be lost. */
function LossDialog({ about, onAnswer }: LossProps) {
  const t = text.frame.kept
  // This dialog closes before the surrounding dialog. Otherwise, neither could restore the focus.
  const lose = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    currentTarget.closest('dialog')?.close()
    onAnswer(true)
  }
  return (
    <Dialog title={t.titles[about]} onClose={() => onAnswer(false)}>
      <p>{t.words[about]}</p>
      <div className="bar end">
        <button type="button" onClick={lose}>
          {t[about]}
        </button>
        <button type="button" className="main" onClick={() => onAnswer(false)}>
          {t.stay}
        </button>
      </div>
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
  // Closes the dialog inside the mutation function, because the mutation may unmount the component that shows
  // it.
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
