/** One ad system: its page, steps, funnel and warnings. */

import { isServiceError } from '@scriptward/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { FigureCard } from '../../components/figure-card.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { QueryBoundary, UnknownPage } from '../../layout/error-pages.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { durationText } from '../../lib/durations.ts'
import { number } from '../../lib/format.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { ByDay } from './by-day.tsx'
import { Checkpoints } from './checkpoints.tsx'
import { Funnel } from './funnel.tsx'
import { OwnPage } from './own-page.tsx'
import { Preview } from './preview.tsx'
import { ProvidersPanel } from './providers-panel.tsx'
import { type AdSystem, useAdSystem, WRITE } from './queries.ts'
import { SelfTest, useSelfTest } from './self-test.tsx'
import styles from './system.module.css'
import { SystemForm } from './system-form.tsx'
import { SystemRemoval } from './system-removal.tsx'
import { Warnings } from './warnings.tsx'

export function AdSystemPage() {
  const { system = '' }: { system?: string } = useParams({ strict: false })
  const project = useProject()
  const query = useAdSystem(system)
  const isElsewhere = query.data !== undefined && query.data.project_id !== project.id
  if (isServiceError(query.error, 'not_found') || isElsewhere) return <UnknownPage />
  return (
    <>
      {!query.data && <PageTitle title={text.frame.ads} />}
      <QueryBoundary query={query}>{query.data && <Room system={query.data} />}</QueryBoundary>
    </>
  )
}

function Room({ system }: { system: AdSystem }) {
  const project = useProject()
  const goTo = useOpen()
  const list = addressOf.project(project.id, 'ads')
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const test = useSelfTest(system.id)
  return (
    <>
      <PageTitle title={system.name} back={{ href: list, title: t.back }}>
        <a className="button" href={system.page_url} target="_blank" rel="noreferrer">
          {t.openPage}
        </a>
        <GuardedButton needs={WRITE} onClick={() => setOpen('edit')}>
          {t.edit}
        </GuardedButton>
        <GuardedButton needs={WRITE} className="danger" onClick={() => setOpen('remove')}>
          {text.remove}
        </GuardedButton>
      </PageTitle>
      <OwnPage system={system} />
      <Figures system={system} />
      <Warnings systemId={system.id} />
      <Checkpoints systemId={system.id} onAdded={() => test.mutate()} />
      {system.total_checkpoints > 0 && <SelfTest test={test} />}
      <Funnel systemId={system.id} />
      <ProvidersPanel systemId={system.id} />
      <div className={styles.halves}>
        <ByDay systemId={system.id} />
        <Preview systemId={system.id} />
      </div>
      {open === 'edit' && <SystemForm system={system} onClose={close} />}
      {open === 'remove' && <SystemRemoval system={system} onClose={close} onRemoved={() => goTo(list)} />}
    </>
  )
}

function Figures({ system }: { system: AdSystem }) {
  return (
    <section className="figures" aria-label={t.figures}>
      <FigureCard title={t.keys} value={number(system.total_keys)} />
      <FigureCard title={t.completedVisits} value={number(system.total_completions)} />
      <FigureCard title={t.stepCount} value={number(system.total_checkpoints)} />
      <FigureCard title={t.keyTime} value={durationText(system.key_duration)} />
    </section>
  )
}
