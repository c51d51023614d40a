/**
 * Sets the last part of the breadcrumb and the window title. The window title starts with the page, so that
 * browser tabs can be told apart.
 */
import { createContext, useContext, useEffect } from 'react'
import { text } from '../messages/text.ts'

/** Called with the title of the page. */
export const TitleContext = createContext<(title: string) => void>(() => {})

/** `undefined` keeps the current title. */
export function useTitle(title: string | undefined): void {
  const show = useContext(TitleContext)
  useEffect(() => {
    if (title === undefined) return
    document.title = `${title} · ${text.product}`
    show(title)
  }, [title, show])
}
