import { ServiceError } from '@scriptward/sdk'
import type { ReactNode } from 'react'
import { Brand } from '../components/brand.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { addressOf } from '../lib/address.ts'
import { useReason } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { missingRight } from '../queries/api.ts'

/** Whether the link was already used or has expired. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'link_gone'
}

/** Shown if the server is unreachable or its response is unusable. */
export function UnreachablePage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main className="auth">
      <Brand />
      <div className="panel">
        <h1>{text.awayTitle}</h1>
        <ErrorMessage of={error} />
        <button type="button" className="main" onClick={onRetry}>
          {text.retry}
        </button>
      </div>
    </main>
  )
}

export function UnknownPage() {
  return (
    <Empty isPage title={text.unknownTitle} hint={text.unknownIntro}>
      <a className="button" href={addressOf.projects}>
        {text.goProjects}
      </a>
    </Empty>
  )
}

export function NoAccountPage() {
  return (
    <Empty isPage title={text.noAccountTitle} hint={text.noAccountIntro}>
      <a className="button" href={addressOf.profile}>
        {text.profile}
      </a>
    </Empty>
  )
}

type Query = {
  readonly error: unknown
  readonly isPending: boolean
  readonly data?: unknown
  refetch(): unknown
}

/**
 * Until the data has loaded, shows a loading state, a missing permission or an error. If a refresh fails,
 * existing content stays, so that form input is not lost.
 */
export function QueryBoundary({ query, children }: { query: Query; children: ReactNode }) {
  const reason = useReason(missingRight(query.error))
  if (query.isPending) return <Skeleton />
  if (!query.error || query.data !== undefined)
    return (
      <>
        <ErrorMessage of={query.error} />
        {children}
      </>
    )
  if (reason !== undefined) return <Empty title={text.needsTitle} hint={reason} />
  return (
    <div className="panel">
      <ErrorMessage of={query.error} />
      <div className="bar">
        <button type="button" onClick={() => query.refetch()}>
          {text.retry}
        </button>
      </div>
    </div>
  )
}
