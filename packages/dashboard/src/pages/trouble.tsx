/** Pages that say why there is nothing to see. */
import { ServiceError } from '@scriptward/sdk'
import type { ReactNode } from 'react'
import { addressOf } from '../address.ts'
import { missingRight } from '../api.ts'
import { Brand } from '../parts/brand.tsx'
import { Complaint } from '../parts/complaint.tsx'
import { Empty } from '../parts/empty.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useReason } from '../rights.ts'
import { text } from '../text/text.ts'

/** Whether the link of the page counts no more. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'link_gone'
}

/** The service does not answer, or not as it should. */
export function TroublePage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main className="door">
      <Brand />
      <div className="panel">
        <h1>{text.awayTitle}</h1>
        <Complaint of={error} />
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

type Asked = {
  readonly error: unknown
  readonly isPending: boolean
  readonly data?: unknown
  refetch(): unknown
}

/**
 * What a page asks for before it has anything to show: on its way, refused for a missing right, or failed. What was shown
 * stays when asking again fails, so that nothing is lost from a form on it.
 */
export function Waiting({ asked, children }: { asked: Asked; children: ReactNode }) {
  const reason = useReason(missingRight(asked.error))
  if (asked.isPending) return <Skeleton />
  if (!asked.error || asked.data !== undefined)
    return (
      <>
        <Complaint of={asked.error} />
        {children}
      </>
    )
  if (reason !== undefined) return <Empty title={text.needsTitle} hint={reason} />
  return (
    <div className="panel">
      <Complaint of={asked.error} />
      <div className="bar">
        <button type="button" onClick={() => asked.refetch()}>
          {text.retry}
        </button>
      </div>
    </div>
  )
}
