/** A list without entries: what it is for, and how to make the first. */
import type { ReactNode } from 'react'

export function Empty({ title, hint, children }: { title: string; hint: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{hint}</p>
      {children}
    </div>
  )
}
