/** A section with a title and actions; `wide` spans the entire grid. */
import { type ReactNode, useId } from 'react'

type Props = {
  readonly title: string
  readonly hint?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, hint, actions, children }: Props) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="bar between">
        <div>
          <h2 id={id}>{title}</h2>
          {hint !== undefined && <p className="hint">{hint}</p>}
        </div>
        {actions !== undefined && <div className="bar">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
