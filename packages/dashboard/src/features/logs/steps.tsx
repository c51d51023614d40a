/** Moves from a list's open entry to the previous or next one, with buttons or the J and K keys. */
import { useLayoutEffect } from 'react'
import { text } from '../../messages/text.ts'
import styles from './logs.module.css'

type Props = { readonly onPrevious: (() => void) | undefined; readonly onNext: (() => void) | undefined }

export function Steps({ onPrevious, onNext }: Props) {
  const t = text.logs
  // An effect after the paint would miss a key that is pressed as soon as the next entry is visible.
  useLayoutEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return
      if (event.key === 'j') onNext?.()
      if (event.key === 'k') onPrevious?.()
    }
    document.addEventListener('keydown', move)
    return () => document.removeEventListener('keydown', move)
  }, [onPrevious, onNext])
  return (
    <div className={styles.steps}>
      <Step label={t.previous} sign="↑" go={onPrevious} />
      <Step label={t.next} sign="↓" go={onNext} />
    </div>
  )
}

type StepProps = { readonly label: string; readonly sign: string; readonly go: (() => void) | undefined }

function Step({ label, sign, go }: StepProps) {
  return (
    <button type="button" className="quiet" aria-label={label} disabled={go === undefined} onClick={go}>
      {sign}
    </button>
  )
}

/** Fields, and dialogs on top of the drawer, receive key presses first. */
function isBusy({ target }: KeyboardEvent): boolean {
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
  return isTyping || document.querySelectorAll('dialog[open]').length > 1
}
