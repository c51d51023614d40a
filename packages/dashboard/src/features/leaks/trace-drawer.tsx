/** A stored trace: the traced copy, the team member who traced it, and the entire result. */
import type { ReactNode } from 'react'
import { actorName } from '../../components/audit/audit-line.ts'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { bytes } from '../../lib/format.ts'
import { leaksText as t } from '../../messages/en/leaks.ts'
import { useProject } from '../../queries/projects.ts'
import { Verdict } from '../scripts/trace-verdict.tsx'
import { type Traced, useTrace } from './queries.ts'

export function TraceDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useTrace(useProject().id, id)
  return (
    <Drawer title={t.trace} onClose={onClose}>
      <QueryBoundary query={query}>
        {query.data && (
          <>
            <Verdict found={query.data} />
            <Facts of={query.data} />
          </>
        )}
      </QueryBoundary>
    </Drawer>
  )
}

function Facts({ of }: { of: Traced }) {
  const { id } = useProject()
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      t.script,
      <a key="script" href={addressOf.script(id, of.script_id)}>
        <bdi>{of.script_name}</bdi>
      </a>,
    ],
    [t.when, <Time key="when" at={of.created_at} />],
    [t.by, <bdi key="by">{actorName(of.actor, new Map())}</bdi>],
    [t.size, bytes(of.bytes)],
    [t.digest, <code key="digest">{of.sha256}</code>],
  ]
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
