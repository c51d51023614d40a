/** Shows the recipients of a leaked copy, with the evidence and the possible actions. */
import type { V1ScriptsTraceResponse } from '@scriptward/sdk'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { customerName, hasName, type Named } from '../../lib/customer-name.ts'
import { LOCALE, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCustomerNames } from '../../queries/customer-names.ts'
import { SuspectActions } from './suspect-actions.tsx'

type Found = Pick<V1ScriptsTraceResponse, 'accused' | 'candidates' | 'versions'>
type Accused = Found['accused'][number]

type VerdictProps = {
  readonly found: Found
  /** Advice to show if nothing matched. */
  readonly children?: ReactNode
}

export function Verdict({ found, children }: VerdictProps) {
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
        <Empty title={text.scripts.traceNothing} hint={text.scripts.traceNothingHint}>
          {children}
        </Empty>
      </div>
    )
  return <Delivered found={found} />
}

function Candidates({ found: { candidates, versions } }: { found: Found }) {
  const nameOf = useCustomerNames(candidates.map(({ user_key }) => user_key))
  return (
    <Panel title={text.scripts.candidates} hint={text.scripts.candidatesHint}>
      <div role="status">
        <ul className="rows">
          {candidates.map((candidate) => (
            <Row
              key={`${candidate.user_key} ${candidate.version}`}
              of={candidate}
              named={nameOf(candidate.user_key)}
              isNamed={candidate.named}
            >
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
  const nameOf = useCustomerNames(found.accused.map(({ user_key }) => user_key))
  return (
    <Panel title={text.scripts.accused} hint={text.scripts.traceMeans}>
      <div role="status">
        <ul className="rows">
          {found.accused.map((accused) => (
            <Culprit
              key={`${accused.user_key} ${accused.version} ${accused.execution}`}
              accused={accused}
              named={nameOf(accused.user_key)}
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

function Culprit({ accused, named, read }: { accused: Accused; named: Named; read: number }) {
  return (
    <Row of={accused} named={named} isNamed>
      <span>{text.scripts.accusedFacts(accused.matches, read)}</span>
      <span>{chanceOf(accused.chance)}</span>
      <span>{accused.execution === null ? text.scripts.manyRuns : text.scripts.oneRun}</span>
    </Row>
  )
}

type Holder = Pick<Accused, 'user_key' | 'version' | 'executor' | 'granted_at'>

type RowProps = {
  readonly of: Holder
  readonly named: Named
  readonly isNamed: boolean
  readonly children: ReactNode
}

function Row({ of, named, isNamed, children }: RowProps) {
  const { user_key: key } = of
  return (
    <li>
      <div className="main-text">
        <span className="name">
          {key === null && <strong>{text.scripts.guest}</strong>}
          {hasName(named) && <bdi>{customerName(named)}</bdi>}
          {key !== null && <code>{key}</code>}
          <Badge tone={isNamed ? 'plain' : 'warn'}>{text.scripts.versionOf(of.version)}</Badge>
        </span>
        <span className="facts">
          {children}
          <span>
            {of.executor} · <Time at={of.granted_at} />
          </span>
        </span>
      </div>
      {key !== null && <SuspectActions userKey={key} isNamed={isNamed} />}
    </li>
  )
}

/** One in a billion. Below this probability, a match counts as certain. */
const CERTAIN = 1e-9
const scientific = new Intl.NumberFormat(LOCALE, { notation: 'scientific', maximumFractionDigits: 0 })

/**
 * Below `CERTAIN`, the exact probability adds nothing. Other small probabilities are shown in scientific
 * notation, because rounding would turn them into zero.
 */
function chanceOf(chance: number): string {
  if (chance < CERTAIN) return text.scripts.certain
  const rounded = number(Math.round(chance * 1000) / 1000)
  return text.scripts.chance(chance > 0.001 ? rounded : scientific.format(chance))
}
