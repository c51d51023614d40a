/** Opens the search, and holds the shortcuts of every page; `shortcuts.tsx` lists them. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { text } from '../messages/text.ts'
import styles from './app-shell.module.css'
import { Icon } from './icons.tsx'
import { MODIFIER_KEY } from './modifier-key.ts'

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
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const does = shortcutOf(event)
      if (does === undefined) return
      if (does === 'search' && !focusSearch()) return
      event.preventDefault()
      if (does !== 'search') onOpen(does)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onOpen])
}

function shortcutOf(event: KeyboardEvent): 'palette' | 'shortcuts' | 'search' | undefined {
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === 'k' ? 'palette' : undefined
  if (isTyping(event)) return undefined
  return event.key === '?' ? 'shortcuts' : event.key === '/' ? 'search' : undefined
}

/** The search of the list that the page shows. Behind a dialog nothing takes the focus. */
function focusSearch(): boolean {
  const search = document.querySelector<HTMLElement>('main input[type=search]')
  search?.focus()
  return search !== null && document.activeElement === search
}

/** The editor stands in a root of its own, so the target of the event is only what holds it. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], .cm-content')
  )
}
