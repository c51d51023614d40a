/** System health: figures, problems, checks, queues and job runs. */
import type { AdminSystemGetResponse } from '@scriptward/sdk'
import { type ReactNode, useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Snippet } from '../../components/code/snippet.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { sentence } from '../../queries/api.ts'
import { MailTestDialog } from './mail-test.tsx'
import { useCustomers, usePeople, useSystem, useTiers } from './queries.ts'
import { ServerFigures, Services } from './server-figures.tsx'

type System = AdminSystemGetResponse
type Job = System['jobs'][number]
type Finding = System['findings'][number]

const TONES: Readonly<Record<Finding['state'], Tone>> = {
  ok: 'good',
  off: 'plain',
  warning: 'warn',
  wrong: 'bad',
}

export function Health() {
  const query = useSystem()
  const [isMailOpen, setIsMailOpen] = useState(false)
  return (
    <QueryBoundary query={query}>
      {query.data && (
        <>
          <ServerFigures system={query.data} />
          <Services findings={query.data.findings} onTestMail={() => setIsMailOpen(true)} />
          <Problems findings={query.data.findings} />
          <FindingList
            title={operatorsText.findings}
            hint={operatorsText.findingsHint}
            findings={query.data.findings.filter((finding) => !isProblem(finding))}
          />
          <div className="two">
            <Queues queues={query.data.queues} />
            <About system={query.data} />
          </div>
          <Jobs jobs={query.data.jobs} />
          <OnTheMachine />
          {isMailOpen && <MailTestDialog onClose={() => setIsMailOpen(false)} />}
        </>
      )}
    </QueryBoundary>
  )
}

/** Problems come before the other checks, worst first. */
function Problems({ findings }: { findings: readonly Finding[] }) {
  const problems = findings.filter(isProblem).sort((a, b) => rankOf(a) - rankOf(b))
  if (problems.length === 0) return null
  return <FindingList title={operatorsText.problems} hint={operatorsText.problemsHint} findings={problems} />
}

function rankOf({ state }: Finding): number {
  return state === 'wrong' ? 0 : 1
}

function isProblem({ state }: Finding): boolean {
  return state === 'warning' || state === 'wrong'
}

type ListProps = { readonly title: string; readonly hint: string; readonly findings: readonly Finding[] }

function FindingList({ title, hint, findings }: ListProps) {
  const t = operatorsText
  return (
    <Panel title={title} hint={hint}>
      <ul className="rows">
        {findings.map(({ name, state, text, since }) => (
          <li key={`${name} ${text}`}>
            <div className="main-text">
              <strong>{t.findingNames[name] ?? name}</strong>
              {text !== undefined && <span>{sentence(text)}</span>}
              {since !== undefined && (
                <span className="hint">
                  {t.since} <Time at={since} />
                </span>
              )}
            </div>
            <Badge tone={TONES[state]}>{t.findingStates[state]}</Badge>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function About({ system }: { system: System }) {
  const t = operatorsText
  const shown = (count: number | undefined) => (count === undefined ? '–' : number(count))
  return (
    <Panel title={t.aboutServer}>
      <dl className="facts-list">
        <Fact name={t.version} value={system.version} />
        <Fact name={t.startedAt} value={<Time at={system.started_at} />} />
        <Fact name={t.processes} value={number(system.processes)} />
        <Fact name={t.customersCount} value={shown(useCustomers().total)} />
        <Fact name={t.peopleCount} value={shown(usePeople().total)} />
        <Fact name={t.tiersCount} value={shown(useTiers().data?.length)} />
      </dl>
    </Panel>
  )
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

function Queues({ queues }: { queues: System['queues'] }) {
  const t = operatorsText
  const names = Object.keys(t.queues) as (keyof typeof t.queues)[]
  return (
    <Panel title={t.queuesTitle} hint={t.queuesHint}>
      <dl className="facts-list">
        {names.map((name) => (
          <Fact key={name} name={t.queues[name]} value={number(queues[name])} />
        ))}
      </dl>
    </Panel>
  )
}

/** Collapsed unless the last run of a job failed. */
function Jobs({ jobs }: { jobs: readonly Job[] }) {
  const t = operatorsText
  const columns: readonly Column<Job>[] = [
    { id: 'name', title: t.job, isMain: true, cell: ({ name }) => <code>{name}</code> },
    { id: 'last', title: t.lastRun, cell: ({ last_run_at: at }) => <TimeOr at={at} /> },
    { id: 'next', title: t.nextRun, cell: ({ next_run_at: at }) => <TimeOr at={at} /> },
    { id: 'error', title: t.lastError, cell: ({ last_error }) => last_error ?? '' },
  ]
  const isWrong = jobs.some(({ last_error }) => last_error !== null)
  return (
    <details className="stack tight" {...(isWrong && { open: true })}>
      <summary>{t.jobs}</summary>
      <Table label={t.jobs} rows={jobs} keyOf={({ name }) => name} columns={columns} total={jobs.length} />
    </details>
  )
}

function TimeOr({ at }: { at: number | null }) {
  return at === null ? '–' : <Time at={at} />
}

function OnTheMachine() {
  const t = operatorsText
  return (
    <Panel title={t.onTheMachine} hint={t.onTheMachineHint}>
      <Command command={t.doctorCommand} hint={t.doctorHint} />
      <Command command={t.verifyCommand} hint={t.verifyHint} />
    </Panel>
  )
}

function Command({ command, hint }: { command: string; hint: string }) {
  return (
    <div className="stack tight">
      <p className="hint">{hint}</p>
      <Snippet code={command} label={command} />
    </div>
  )
}
