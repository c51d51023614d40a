/** Finds the key to which a leaked copy was served. */
import { type V1ScriptsTraceResponse, v1ScriptsTrace } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { addressOf } from '../../lib/address.ts'
import { LOCALE, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type Script, SOURCE } from './queries.ts'
import { SourceField } from './source-field.tsx'

type Found = V1ScriptsTraceResponse
type Accused = Found['accused'][number]

export function Trace({ script }: { script: Script }) {
  const call = useCall()
  const [copy, setCopy] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const trace = useMutation({
    mutationFn: async (leaked: string) =>
      (await v1ScriptsTrace({ ...call, path: { script_id: script.id }, body: { text: leaked } })).data,
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (copy.trim() !== '' && !trace.isPending) trace.mutate(copy)
  }
  const isWithout = isChecked && copy.trim() === ''
  return (
    <>
      <Panel title={text.scripts.trace} hint={text.scripts.traceHint}>
        <form className="stack" onSubmit={send} noValidate>
          <SourceField
            label={text.scripts.traceText}
            value={copy}
            onChange={setCopy}
            error={isWithout ? text.scripts.noCopy : errorsOfFields(trace.error).text}
          />
          {errorsOfFields(trace.error).text === undefined && <ErrorMessage of={trace.error} />}
          <div className="bar end">
            <GuardedButton needs={SOURCE} type="submit" className="main" disabled={trace.isPending}>
              {trace.isPending ? text.scripts.tracing : text.scripts.traceButton}
            </GuardedButton>
          </div>
        </form>
      </Panel>
      {trace.data && <Verdict found={trace.data} />}
    </>
  )
}

function Verdict({ found }: { found: Found }) {
  if (found.candidates.length > 0)
    return (
      <>
        {found.accused.length > 0 && <Delivered found={found} />}
        <Candidates found={found} />
      </>
    )
  if (found.accused.length === 0)
    return (
      <div role="status">
        <Empty title={text.scripts.traceNothing} hint={text.scripts.traceNothingHint} />
      </div>
    )
  return <Delivered found={found} />
}

function Candidates({ found: { candidates, versions } }: { found: Found }) {
  return (
    <Panel title={text.scripts.candidates} hint={text.scripts.candidatesHint}>
      <div role="status">
        <ul className="rows">
          {candidates.map((candidate) => (
            <Row key={`${candidate.user_key} ${candidate.version}`} of={candidate} isNamed={candidate.named}>
              <span>{text.scripts.likelihood(candidate.likelihood)}</span>
              <span>{text.scripts.numbersMatched(candidate.numbers_matched)}</span>
            </Row>
          ))}
        </ul>
      </div>
      {versions
        .filter(({ numbers_read }) => numbers_read > 0)
        .map(({ version, numbers, numbers_read, numbers_needed }) => (
          <p key={version} className="hint">
            {text.scripts.versionOf(version)}:{' '}
            {text.scripts.numbersRead(numbers_read, numbers, numbers_needed ?? 1)}
          </p>
        ))}
    </Panel>
  )
}

function Delivered({ found }: { found: Found }) {
  return (
    <Panel title={text.scripts.accused} hint={text.scripts.traceMeans}>
      <div role="status">
        <ul className="rows">
          {found.accused.map((accused) => (
            <Culprit
              key={`${accused.user_key} ${accused.version} ${accused.execution}`}
              accused={accused}
              read={found.versions.find(({ version }) => version === accused.version)?.slots_read ?? 0}
            />
          ))}
        </ul>
      </div>
      {found.versions.map(({ version, slots, slots_read, slots_lifted, executions }) => (
        <p key={version} className="hint">
          {text.scripts.versionOf(version)}: {text.scripts.traceReadIn(slots_read, slots, executions)}
          {slots_lifted > 0 && ` ${text.scripts.traceLifted(slots_lifted)}`}
        </p>
      ))}
    </Panel>
  )
}

function Culprit({ accused, read }: { accused: Accused; read: number }) {
  return (
    <Row of={accused} isNamed>
      <span>{text.scripts.accusedFacts(accused.matches, read)}</span>
      <span>{text.scripts.chance(small(accused.chance))}</span>
      <span>{accused.execution === null ? text.scripts.manyRuns : text.scripts.oneRun}</span>
    </Row>
  )
}

type Holder = Pick<Accused, 'user_key' | 'version' | 'executor' | 'granted_at'>

function Row({ of, isNamed, children }: { of: Holder; isNamed: boolean; children: ReactNode }) {
  const project = useProject()
  const { user_key: key } = of
  return (
    <li>
      <div className="main-text">
        <span className="name">
          {key === null ? <strong>{text.scripts.guest}</strong> : <code>{key}</code>}
          <Badge tone={isNamed ? 'bad' : 'warn'}>{text.scripts.versionOf(of.version)}</Badge>
        </span>
        <span className="facts">
          {children}
          <span>
            {of.executor} · <Time at={of.granted_at} />
          </span>
        </span>
      </div>
      {key !== null && (
        <a className="button" href={addressOf.user(project.id, key)}>
          {text.scripts.openUser}
        </a>
      )}
    </li>
  )
}

const scientific = new Intl.NumberFormat(LOCALE, { notation: 'scientific', maximumFractionDigits: 0 })

/** Uses scientific notation, because the probability is close to zero. */
function small(chance: number): string {
  return chance > 0.001 ? number(Math.round(chance * 1000) / 1000) : scientific.format(chance)
}
