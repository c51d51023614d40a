/** An empty state that explains the purpose of the list and how to add the first entry. */
import type { ReactNode } from 'react'
import { useTitle } from '../layout/title.ts'

export function Empty({
  title,
  hint,
  isPage,
  children,
}: {
  title: string
  hint: ReactNode
  isPage?: boolean
  children?: ReactNode
}) {
  useTitle(isPage ? title : undefined)
  return (
    <div className="empty">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{hint}</p>
      {children}
    </div>
  )
}
