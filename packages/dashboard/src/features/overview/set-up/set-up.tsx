/**
 * Guides a new project to its first run: a script, a key, and the run itself. Progress is derived from the server's
 * data, so that it survives reloads and works for several users.
 */
import { v1ProjectScriptsList, v1ProjectUsersList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { PageTitle } from '../../../components/page-title.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { KeyStep } from './key-step.tsx'
import { RunStep } from './run-step.tsx'
import { ScriptStep } from './script-step.tsx'
import styles from './set-up.module.css'

export function SetUp({ onEnd }: { onEnd: () => void }) {
  const t = text.overview.setUp
  const call = useCall()
  const { id } = useProject()
  const newest = { path: { project_id: id }, query: { order: 'newest', limit: 1 } } as const
  const scripts = useQuery({
    queryKey: ['first script', id],
    queryFn: async () => (await v1ProjectScriptsList({ ...call, ...newest })).data.scripts[0] ?? null,
  })
  const users = useQuery({
    queryKey: ['first user', id],
    queryFn: async () => (await v1ProjectUsersList({ ...call, ...newest })).data.users[0]?.key ?? null,
  })
  const script = scripts.data ?? undefined
  const key = users.data ?? undefined
  return (
    <>
      <PageTitle title={t.title} intro={t.intro}>
        <button type="button" className="quiet" onClick={onEnd}>
          {t.skip}
        </button>
      </PageTitle>
      <QueryBoundary query={scripts.isPending || scripts.error ? scripts : users}>
        <ol className={styles.steps}>
          <Step index={1} title={t.scriptTitle} hint={t.scriptHint} isDone={script !== undefined}>
            <ScriptStep script={script} />
          </Step>
          <Step index={2} title={t.keyTitle} hint={t.keyHint} isDone={key !== undefined}>
            <KeyStep userKey={key} isReady={script !== undefined} />
          </Step>
          <Step index={3} title={t.runTitle} hint={t.runHint} isDone={false}>
            {script && key !== undefined ? (
              <RunStep script={script} userKey={key} onEnd={onEnd} />
            ) : (
              <p className="hint">{t.runWaits}</p>
            )}
          </Step>
        </ol>
      </QueryBoundary>
    </>
  )
}

type Props = {
  readonly index: number
  readonly title: string
  readonly hint: string
  readonly isDone: boolean
  readonly children: ReactNode
}

function Step({ index, title, hint, isDone, children }: Props) {
  const t = text.overview.setUp
  const state = isDone ? <Badge tone="good">{t.isDone}</Badge> : <Badge tone="plain">{t.step(index)}</Badge>
  return (
    <li>
      <Panel title={title} {...(!isDone && { hint })} actions={state}>
        {children}
      </Panel>
    </li>
  )
}
