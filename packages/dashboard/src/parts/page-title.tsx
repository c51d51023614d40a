/** Head of a page: its name, what it is for, and its main action. */
import type { ReactNode } from 'react'
import { useTitle } from '../title.ts'
import { ApiCallButton } from './api-call.tsx'

export function PageTitle({
  title,
  intro,
  children,
}: {
  title: string
  intro?: ReactNode
  children?: ReactNode
}) {
  useTitle(title)
  return (
    <div className="title">
      <div>
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
