/** Sets the window title, with the page first, so that tabs can be distinguished. */
import { useEffect } from 'react'
import { text } from '../messages/text.ts'

/** `undefined` keeps the current title. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${text.product}`
  }, [title])
}
