/** The page header: title, description and main action. */
import type { ReactNode } from 'react'
import { useTitle } from '../layout/title.ts'
import { ApiCallButton } from './code/api-call.tsx'

export function PageTitle({
  title,
  intro,
  back,
  children,
}: {
  title: string
  intro?: ReactNode
  /** The list that the page belongs to. */
  back?: { readonly href: string; readonly title: string }
  children?: ReactNode
}) {
  useTitle(title)
  return (
    <div className="title">
      <div>
        {back && (
          <nav aria-label={back.title}>
            <a className="back" href={back.href}>
              {back.title}
            </a>
          </nav>
        )}
        <h1>{title}</h1>
        {intro !== undefined && <p className="hint">{intro}</p>}
      </div>
      <div className="bar">
        <ApiCallButton />
        {children}
      </div>
    </div>
  )
}
