/**
 * Chooses how long a key is valid: as set by its plan, forever, until a date, or for a duration. Also shows
 * the resulting expiry.
 */
import type { ReactNode } from 'react'
import { About, describedBy } from '../../../components/fields/field.tsx'
import { durationText, lengthIn, unitOptions } from '../../../lib/durations.ts'
import { LOCALE } from '../../../lib/format.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { clockText, usePlans } from '../../../queries/plans.ts'
import type { User } from '../user.ts'
import {
  aboutSpan,
  type DurationDraft,
  type DurationKind,
  differenceText,
  kindsFor,
  withDays,
} from './duration.ts'
import styles from './edit.module.css'
import { TimeBar } from './time-bar.tsx'

type Props = {
  readonly user: User
  /** ID of the selected plan; empty if there is none. */
  readonly planId: string
  readonly value: DurationDraft
  readonly onChange: (value: DurationDraft) => void
  readonly error: string | undefined
  /** The start date field. */
  readonly children: ReactNode
}

const QUICK_DAYS = [1, 7, 30] as const
const exact = new Intl.DateTimeFormat(LOCALE, {
  ...({ weekday: 'long', year: 'numeric', month: 'short', day: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
})

export function DurationField({ user, planId, value, onChange, error, children }: Props) {
  const t = recordText.duration
  const names: Readonly<Record<DurationKind, string>> = {
    ...{ plan: t.plan, lifetime: t.lifetime, until: t.until, first_use: t.firstRun },
  }
  const change = (changes: Partial<DurationDraft>) => onChange({ ...value, ...changes })
  const choose = (kind: DurationKind) =>
    kind === 'until' && value.date === '' ? onChange(withDays(value, QUICK_DAYS[2])) : change({ kind })
  return (
    <fieldset className={styles.duration}>
      <legend>{t.label}</legend>
      <div className={styles.segments}>
        {kindsFor(user, planId !== '').map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              className="unseen"
              name="duration"
              value={kind}
              checked={value.kind === kind}
              onChange={() => choose(kind)}
            />
            <span>{names[kind]}</span>
          </label>
        ))}
      </div>
      {value.kind === 'until' && <EndDate value={value} error={error} onChange={onChange} />}
      {value.kind === 'first_use' && <Length value={value} error={error} onChange={change} />}
      {value.kind === 'until' && <TimeBar user={user} end={new Date(value.date).getTime()} />}
      <Result user={user} planId={planId} value={value} />
      {children}
    </fieldset>
  )
}

type PartProps = Pick<Props, 'value' | 'error'>

function EndDate({ value, error, onChange }: PartProps & Pick<Props, 'onChange'>) {
  const t = recordText.duration
  return (
    <div className="field">
      <div className={styles.end}>
        <input
          type="datetime-local"
          aria-label={t.endAt}
          {...describedBy('duration', undefined, error)}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.target.value })}
        />
        <fieldset className={styles.quick} aria-label={t.add}>
          {QUICK_DAYS.map((days) => (
            <button key={days} type="button" onClick={() => onChange(withDays(value, days))}>
              {t.addDays(days)}
            </button>
          ))}
        </fieldset>
      </div>
      <About id="duration" hint={undefined} error={error} />
    </div>
  )
}

type LengthProps = PartProps & { readonly onChange: (changes: Partial<DurationDraft>) => void }

function Length({ value, error, onChange }: LengthProps) {
  const t = recordText.duration
  return (
    <div className="field">
      <div className={styles.end}>
        <input
          inputMode="decimal"
          autoComplete="off"
          aria-label={t.length}
          {...describedBy('duration', text.plans.ownDurationHint, error)}
          value={value.amount}
          onChange={(event) => onChange({ amount: event.target.value })}
        />
        <select
          aria-label={t.unit}
          value={value.unit}
          onChange={(event) => onChange({ unit: event.target.value as DurationDraft['unit'] })}
        >
          {unitOptions().map(([unit, title]) => (
            <option key={unit} value={unit}>
              {title}
            </option>
          ))}
        </select>
        <select
          aria-label={t.countedFrom}
          value={value.basis}
          onChange={(event) => onChange({ basis: event.target.value as DurationDraft['basis'] })}
        >
          <option value="first_use">{t.fromFirstRun}</option>
          <option value="creation">{t.fromCreationOption}</option>
        </select>
      </div>
      <About id="duration" hint={text.plans.ownDurationHint} error={error} />
    </div>
  )
}

type ResultProps = Pick<Props, 'user' | 'planId' | 'value'>

/** Shows when the key will expire. */
function Result({ user, planId, value }: ResultProps) {
  const t = recordText.duration
  const plan = usePlans().data?.find(({ id }) => id === planId)
  const end = new Date(value.date).getTime()
  if (value.kind === 'until') {
    if (Number.isNaN(end)) return null
    const left = end - Date.now()
    const difference = differenceText(value, user)
    return (
      <output className={styles.result}>
        {t.endsOn} <strong>{exact.format(end)}</strong>, {left > 0 ? t.inTime(aboutSpan(left)) : t.past}.
        {difference !== undefined && <em> {difference}</em>}
      </output>
    )
  }
  return <output className={styles.result}>{wordsOf(user, value, plan && clockText(plan.clock))}</output>
}

function wordsOf(user: User, { kind, amount, unit, basis }: DurationDraft, ofPlan: string | undefined) {
  const t = recordText.duration
  if (kind === 'plan') return ofPlan === undefined ? '' : t.unchanged(ofPlan)
  const length = lengthIn(amount, unit)
  if (kind === 'lifetime' || amount.trim() === '') return t.never
  if (length === undefined) return ''
  const words = durationText(length)
  if (basis === 'creation') return t.fromCreation(words)
  return user.first_used_at === null ? t.fromFirst(words) : t.fromFirstStarted(words)
}
