/** Opens the command palette and handles the global shortcuts listed in `shortcuts.tsx`. */
import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { undoNewest } from '../components/overlays/undo-button.tsx'
import { text } from '../messages/text.ts'
import { Icon } from './icons.tsx'
import { MODIFIER_KEY } from './modifier-key.ts'
import styles from './top-bar.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }))

type Open = 'palette' | 'shortcuts' | null

export function SearchButton() {
  const [open, setOpen] = useState<Open>(null)
  useKeys(setOpen)
  const close = () => setOpen(null)
  return (
    <>
      <button
        type="button"
        className={styles.search}
        aria-label={`${text.frame.searchShort} ${MODIFIER_KEY} K`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('palette')}
      >
        <Icon name="search" />
        <span>{text.frame.searchShort}</span> <kbd>{MODIFIER_KEY} K</kbd>
      </button>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </>
  )
}

function useKeys(onOpen: (open: Open) => void): void {
  // An effect after the paint would miss a key that is pressed as soon as the page is visible.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const does = shortcutOf(event)
      if (does === undefined) return
      if (does === 'search' && !focusSearch()) return
      if (does === 'undo' && !undoNewest()) return
      event.preventDefault()
      if (does === 'palette' || does === 'shortcuts') onOpen(does)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onOpen])
}

function shortcutOf(event: KeyboardEvent): 'palette' | 'shortcuts' | 'search' | 'undo' | undefined {
  const hasModifier = event.ctrlKey || event.metaKey
  if (hasModifier && event.key.toLowerCase() === 'k') return 'palette'
  if (isTyping(event)) return undefined
  if (hasModifier) return event.key === 'z' ? 'undo' : undefined
  return event.key === '?' ? 'shortcuts' : event.key === '/' ? 'search' : undefined
}

/** Focuses the search field of the page's list, unless a dialog is open. */
function focusSearch(): boolean {
  const search = document.querySelector<HTMLElement>('main input[type=search]')
  search?.focus()
  return search !== null && document.activeElement === search
}

/** Checks the composed path, because the editor is in a shadow root, which hides the actual target. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    target.matches(
      'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], .cm-content',
    )
  )
}
