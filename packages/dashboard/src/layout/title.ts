/** The title of the window: the page first, so that tabs can be told apart. */
import { useEffect } from 'react'
import { text } from '../messages/text.ts'

/** `undefined` leaves it as it is. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${text.product}`
  }, [title])
}
