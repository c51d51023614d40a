/** Six values that answer most support questions without opening a form. */
import type { ReactNode } from 'react'
import { addressOf } from '../../../lib/address.ts'
import { number } from '../../../lib/format.ts'
import { limitTexts } from '../../../lib/plan-texts.ts'
import { exactly, when } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { usePlans } from '../../../queries/plans.ts'
import { nameOfScript, useScriptNames } from '../../../queries/scripts.ts'
import type { User } from '../user.ts'
import { useDevices, useLog, useUserOutcomes } from './queries.ts'
import styles from './record.module.css'
import { Spark, sumsOf } from './spark.tsx'
import { timeLeft } from './time-left.ts'

type Props = { readonly user: User }

export function Facts({ user }: Props) {
  return (
    <dl className={styles.facts} aria-label={recordText.facts.label}>
      <PlanFact user={user} />
      <TimeFact user={user} />
      <RunsFact user={user} />
      <LastRunFact user={user} />
      <DeviceFact user={user} />
      <NetworkFact user={user} />
    </dl>
  )
}

type FactProps = { title: string; value: ReactNode; isCode?: boolean; isWide?: boolean; children?: ReactNode }

function Fact({ title, value, isCode, isWide, children }: FactProps) {
  return (
    <div className={isWide ? styles.wide : undefined}>
      <dt>{title}</dt>
      <dd className={isCode ? styles.mono : undefined}>{value}</dd>
      {children !== undefined && <dd className={styles.sub}>{children}</dd>}
    </div>
  )
}

function PlanFact({ user }: Props) {
  const t = recordText.facts
  const plan = usePlans().data?.find(({ id }) => id === user.plan_id)
  const limits = plan && limitTexts(plan).slice(0, 2).join(', ')
  if (user.plan_id === null)
    return (
      <Fact title={t.plan} value={t.noPlan}>
        {user.max_instances === null ? '' : text.plans.atOnce(user.max_instances)}
      </Fact>
    )
  return (
    <Fact
      title={t.plan}
      value={
        <a href={addressOf.project(user.project_id, 'plans')}>
          <bdi>{user.plan}</bdi>
        </a>
      }
    >
      {limits}
    </Fact>
  )
}

function TimeFact({ user }: Props) {
  const { value, hint, share } = timeLeft(user)
  return (
    <Fact title={recordText.facts.timeLeft} value={value}>
      <span {...(user.key_expires !== null && { title: exactly(user.key_expires) })}>{hint}</span>
      {share !== undefined && (
        <i className={styles.meter} aria-hidden="true">
          <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </i>
      )}
    </Fact>
  )
}

function RunsFact({ user }: Props) {
  const t = recordText.facts
  const days = useUserOutcomes(user).data ?? []
  const sums = days.map(sumsOf)
  const total = (name: 'granted' | 'denied' | 'crashed') => sums.reduce((sum, each) => sum + each[name], 0)
  const isAny = total('granted') + total('denied') > 0
  const counts = isAny ? t.counts(total('granted'), total('denied'), total('crashed')) : t.noRuns
  return (
    <Fact title={t.last30} isWide value={<Spark days={days} label={`${t.last30}: ${counts}`} />}>
      {counts}
    </Fact>
  )
}

function LastRunFact({ user }: Props) {
  const t = recordText.facts
  const run = useLog(user).data?.pages[0]?.executions.find(({ outcome }) => outcome !== 'denied')
  const names = useScriptNames(user.project_id)
  const at = run?.at ?? user.last_used_at
  if (at === null)
    return (
      <Fact title={t.lastRun} value={user.executions > 0 ? t.total(user.executions) : t.never}>
        {user.executions > 0 ? (user.executor ?? '') : t.neverHint}
      </Fact>
    )
  const executor = run?.executor ?? user.executor ?? ''
  return (
    <Fact title={t.lastRun} value={<time title={exactly(at)}>{when(at)}</time>}>
      {run && (
        <>
          <a href={addressOf.script(user.project_id, run.script_id)}>
            <bdi>{nameOfScript(names, run.script_id)}</bdi> {number(run.script_version)}
          </a>
          {executor === '' ? '' : ', '}
        </>
      )}
      <bdi>{executor}</bdi>
    </Fact>
  )
}

function DeviceFact({ user }: Props) {
  const t = recordText.facts
  const [device, ...others] = useDevices(user).data ?? []
  const plan = usePlans().data?.find(({ id }) => id === user.plan_id)
  if (!user.use_fingerprint)
    return (
      <Fact title={t.device} value={t.anyDevice}>
        {t.anyDeviceHint}
      </Fact>
    )
  if (!user.fingerprint_assigned || device === undefined)
    return (
      <Fact title={t.device} value={t.unbound}>
        {t.unboundHint}
      </Fact>
    )
  const most = user.max_devices ?? plan?.max_devices ?? 1
  const bound = device.bound_at === null ? '' : `, ${t.boundSince(when(device.bound_at))}`
  return (
    <Fact
      title={t.device}
      isCode={device.name === null}
      value={<bdi>{device.name ?? device.fingerprint ?? text.devices.unnamed}</bdi>}
    >
      {t.ofDevices(1 + others.length, most)}
      {bound}
    </Fact>
  )
}

function NetworkFact({ user }: Props) {
  const t = recordText.facts
  const ip = useDevices(user).data?.[0]?.ip ?? null
  const refused = user.refused_devices > 0 ? `, ${t.refused(user.refused_devices)}` : ''
  return (
    <Fact title={t.network} isCode={ip !== null} value={ip ?? t.unknownNetwork}>
      {user.networks === 0 && ip !== null ? t.boundThere : t.networks(user.networks)}
      {refused}
    </Fact>
  )
}
