/** Disk, memory, database and requests at a glance, and whether Valkey and email work. */
import type { AdminSystemGetResponse } from '@scriptward/sdk'
import type { ReactNode } from 'react'
import { FigureCard } from '../../components/figure-card.tsx'
import { Time } from '../../components/time.tsx'
import { Icon } from '../../layout/icons.tsx'
import { bytes, number, percent } from '../../lib/format.ts'
import { serverText } from '../../messages/en/operators.ts'
import styles from './server-figures.module.css'

type System = AdminSystemGetResponse
type Finding = System['findings'][number]

const t = serverText
/** Durations above this are shown in seconds. */
const SECOND_MS = 1000

export function ServerFigures({ system }: { system: System }) {
  const { disk, memory, database_bytes, requests } = system.figures
  const { last_5_minutes: now, last_hour: hour } = requests
  const found = (name: string) => system.findings.find((one) => one.name === name)
  return (
    <div className="figures">
      <FigureCard
        title={t.disk}
        value={disk === null ? t.unknown : t.free(bytes(disk.free))}
        change={stateOf(found('disk'), disk === null ? undefined : t.ofDisk(bytes(disk.total), share(disk)))}
      />
      <FigureCard
        title={t.memory}
        value={bytes(memory.process)}
        change={stateOf(found('memory'), t.memoryLeft(bytes(memory.free), bytes(memory.total)))}
      />
      <FigureCard
        title={t.database}
        value={database_bytes === null ? t.unknown : bytes(database_bytes)}
        change={stateOf(found('database'), system.engine)}
      />
      <FigureCard
        title={t.requests}
        value={number(Math.round(now.per_minute))}
        change={t.lastHour(number(Math.round(hour.per_minute)))}
      />
      <FigureCard title={t.p95} value={duration(now.p95_ms)} change={t.lastHour(duration(hour.p95_ms))} />
    </div>
  )
}

/** Services that are not configured appear only in the list of checks. */
export function Services({ findings, onTestMail }: { findings: System['findings']; onTestMail: () => void }) {
  const found = (name: string) => findings.find((one) => one.name === name)
  const test = (
    <button type="button" className={styles.test} onClick={onTestMail}>
      {t.testMail}
    </button>
  )
  const [valkey, mail] = [found('valkey'), found('mail')]
  if (!isConfigured(valkey) && !isConfigured(mail)) return null
  return (
    <div className="figures">
      {isConfigured(valkey) && <Service title={t.valkey} finding={valkey} />}
      {isConfigured(mail) && <Service title={t.mail} finding={mail} action={test} />}
    </div>
  )
}

function isConfigured(finding: Finding | undefined): finding is Finding {
  return finding !== undefined && finding.state !== 'off'
}

type ServiceProps = { readonly title: string; readonly finding: Finding; readonly action?: ReactNode }

function Service({ title, finding: { state, since }, action }: ServiceProps) {
  if (state === 'ok') return <FigureCard title={title} value={t.works} change={action ?? t.now} />
  return (
    <FigureCard
      title={title}
      value={t.down}
      change={
        <>
          <Alert state="wrong">
            {t.since} {since === undefined ? t.now : <Time at={since} />}
          </Alert>
          {action}
        </>
      }
    />
  )
}

/** The list of problems below the cards shows how to fix each one. */
function stateOf(finding: Finding | undefined, usual: ReactNode) {
  const state = finding?.state
  if (state !== 'warning' && state !== 'wrong') return usual
  return (
    <>
      {usual}
      <Alert state={state}>{state === 'wrong' ? t.critical : t.low}</Alert>
    </>
  )
}

/** Includes an icon, because color alone is not accessible. */
function Alert({ state, children }: { state: 'warning' | 'wrong'; children: ReactNode }) {
  return (
    <span className={`${styles.alert} ${styles[state]}`}>
      <Icon name={state === 'wrong' ? 'danger' : 'errors'} />
      <span>{children}</span>
    </span>
  )
}

function share({ free, total }: { free: number; total: number }): string {
  return percent(total === 0 ? 0 : free / total)
}

function duration(ms: number | null): string {
  if (ms === null) return t.none
  return ms < SECOND_MS ? t.milliseconds(number(Math.round(ms))) : t.seconds((ms / SECOND_MS).toFixed(1))
}
