/** Layout for public pages, which are often opened from a link. */
import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Brand } from '../../components/brand.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { useTitle } from '../../layout/title.ts'
import { addressOf, useGoTo } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { errorsOfFields } from '../../queries/api.ts'

type Props = {
  readonly title: string
  readonly intro?: ReactNode
  readonly children?: ReactNode
  readonly hasWayBack?: boolean
}

export function AuthLayout({ title, intro, children, hasWayBack = true }: Props) {
  useTitle(title)
  return (
    <main className="auth">
      <Brand />
      <div className="panel">
        <header>
          <h1>{title}</h1>
          {intro !== undefined && <p className="hint">{intro}</p>}
        </header>
        {children}
      </div>
      {hasWayBack && (
        <p>
          <a href={addressOf.projects}>{text.haveAccount}</a>
        </p>
      )}
    </main>
  )
}

type Form = {
  readonly submit: string
  readonly isPending: boolean
  readonly error: unknown
  /** Names of fields that show their own errors. */
  readonly fields?: readonly string[]
  readonly onSubmit: () => void
  readonly children?: ReactNode
}

export function AuthForm({ submit, isPending, error, fields = [], onSubmit, children }: Form) {
  const wrong = Object.keys(errorsOfFields(error))
  const isBeside = wrong.length > 0 && wrong.every((name) => fields.includes(name))
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className="stack" onSubmit={send}>
      {children}
      {!isBeside && <ErrorMessage of={error} />}
      <button type="submit" className="main wide" disabled={isPending}>
        {submit}
      </button>
    </form>
  )
}

/** An expired or used link; `hint` explains how to get a new one. */
export function DeadLink({ title = text.linkTitle, hint, children }: Partial<Props> & { hint: ReactNode }) {
  return (
    <AuthLayout title={title} intro={hint} hasWayBack={false}>
      {children}
      <a className="button" href={addressOf.projects}>
        {text.goSignIn}
      </a>
    </AuthLayout>
  )
}

/**
 * Opens the projects page as the signed-in user. This removes the secret from the URL, and the used link
 * is not requested again.
 */
export function useEnter(): () => Promise<void> {
  const queries = useQueryClient()
  const goTo = useGoTo()
  return async () => {
    queries.removeQueries({ type: 'inactive' })
    await queries.resetQueries({ queryKey: ['me'] })
    goTo(addressOf.projects)
  }
}
