/** Opens the search. Ctrl-K or ⌘K does too, and `?` lists the shortcuts. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { text } from '../text/text.ts'
import { Icon } from './icons.tsx'

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
        className="search-button"
        aria-label={`${text.frame.search} ⌘K`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('palette')}
      >
        <Icon name="search" />
        <span>{text.frame.search}</span>
        <kbd>⌘K</kbd>
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
      const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      if (!isSearch && (event.key !== '?' || isTyping(event.target))) return
      event.preventDefault()
      onOpen(isSearch ? 'palette' : 'shortcuts')
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [onOpen])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], .cm-content')
  )
}
