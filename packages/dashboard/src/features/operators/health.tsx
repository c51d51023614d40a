/** System health: findings, queues and job runs. */
import { type AdminSystemGetResponse, adminSystemGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Snippet } from '../../components/code/snippet.tsx'
import { FigureCard } from '../../components/figure-card.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useCustomers, usePeople, useTiers } from './queries.ts'

type System = AdminSystemGetResponse
type Job = System['jobs'][number]
type Finding = System['findings'][number]

/** The request counts as ten towards the rate limit. */
const EVERY_MS = 15_000
const TONES: Readonly<Record<Finding['state'], Tone>> = {
  ok: 'good',
  off: 'plain',
  warning: 'warn',
  wrong: 'bad',
}

export function Health() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['operators', 'system'],
    queryFn: async () => (await adminSystemGet(call)).data,
    refetchInterval: EVERY_MS,
  })
  return (
    <QueryBoundary query={query}>
      {query.data && (
        <>
          <Figures system={query.data} />
          <Findings findings={query.data.findings} />
          <Queues queues={query.data.queues} />
          <Jobs jobs={query.data.jobs} />
          <OnTheMachine />
        </>
      )}
    </QueryBoundary>
  )
}

function Figures({ system }: { system: System }) {
  const t = text.operators
  const shown = (count: number | undefined) => (count === undefined ? '–' : number(count))
  return (
    <div className="figures">
      <FigureCard title={t.version} value={system.version} change={system.engine} />
      <FigureCard title={t.startedAt} value={<Time at={system.started_at} />} />
      <FigureCard title={t.processes} value={number(system.processes)} />
      <FigureCard title={t.customersCount} value={shown(useCustomers().total)} />
      <FigureCard title={t.peopleCount} value={shown(usePeople().total)} />
      <FigureCard title={t.tiersCount} value={shown(useTiers().data?.length)} />
    </div>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const t = text.operators
  return (
    <Panel title={t.findings} hint={t.findingsHint}>
      <ul className="rows">
        {findings.map((finding) => (
          <li key={finding.name}>
            <div className="main-text">
              <strong>{finding.name}</strong>
              {finding.text !== undefined && <span>{finding.text}</span>}
            </div>
            <Badge tone={TONES[finding.state]}>{t.findingStates[finding.state]}</Badge>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Queues({ queues }: { queues: System['queues'] }) {
  const t = text.operators
  const names = Object.keys(t.queues) as (keyof typeof t.queues)[]
  return (
    <Panel title={t.queuesTitle} hint={t.queuesHint}>
      <dl className="facts-list">
        {names.map((name) => (
          <Queue key={name} name={t.queues[name]} count={queues[name]} />
        ))}
      </dl>
    </Panel>
  )
}

function Queue({ name, count }: { name: string; count: number }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{number(count)}</dd>
    </>
  )
}

function Jobs({ jobs }: { jobs: readonly Job[] }) {
  const t = text.operators
  const columns: readonly Column<Job>[] = [
    { id: 'name', title: t.job, isMain: true, cell: ({ name }) => <code>{name}</code> },
    { id: 'last', title: t.lastRun, cell: ({ last_run_at: at }) => <TimeOr at={at} /> },
    { id: 'next', title: t.nextRun, cell: ({ next_run_at: at }) => <TimeOr at={at} /> },
    { id: 'error', title: t.lastError, cell: ({ last_error }) => last_error ?? '' },
  ]
  return (
    <section className="stack tight">
      <h2>{t.jobs}</h2>
      <Table label={t.jobs} rows={jobs} keyOf={({ name }) => name} columns={columns} total={jobs.length} />
    </section>
  )
}

function TimeOr({ at }: { at: number | null }) {
  return at === null ? '–' : <Time at={at} />
}

function OnTheMachine() {
  const t = text.operators
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
