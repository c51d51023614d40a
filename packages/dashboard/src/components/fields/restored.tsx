/** Announces that a form starts with restored input. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { text } from '../../messages/text.ts'
import type { KeptInput } from './kept-input.ts'
import styles from './restored.module.css'

type Props = {
  readonly kept: KeptInput
  /** Whether the form has its own button to discard changes. */
  readonly hasDiscard?: boolean | undefined
}

export function Restored({ kept, hasDiscard = false }: Props) {
  const isShown = useSyncExternalStore(kept.subscribe, kept.isRestored)
  if (!isShown) return null
  const t = text.frame.kept
  return (
    <p className={`hint ${styles.restored}`} role="status">
      {t.restored} {!hasDiscard && <Discard onClick={() => kept.discard()} />}
    </p>
  )
}

function Discard({ onClick }: { onClick: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  // Dialogs focus their first element, which should be a field.
  useEffect(() => {
    const own = button.current
    if (own !== document.activeElement) return
    own?.form?.querySelector<HTMLElement>('input:not([hidden]), textarea, select')?.focus()
  }, [])
  return (
    <button ref={button} type="button" className="link" onClick={onClick}>
      {text.frame.kept.discard}
    </button>
  )
}
