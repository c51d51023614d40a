/** The period or time range of the log, and a form to choose a range without dragging over the chart. */
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { Options, Token } from '../../components/sentence/token.tsx'
import { useFilters } from '../../lib/address.ts'
import { LOCALE } from '../../lib/format.ts'
import { localDate } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { lengthOf, type Period } from '../../queries/outcomes.ts'
import { numberOf, OFFERED } from './queries.ts'

type Props = {
  readonly period: Period
  /** Opens the dialog for a range; without it, only the period can be chosen. */
  readonly onRange: (() => void) | undefined
}

export function TimeToken({ period, onRange }: Props) {
  const t = text.logs
  const [given, change] = useFilters()
  const [from, to] = onRange === undefined ? [] : [numberOf(given.from), numberOf(given.to)]
  const whole = { from: undefined, to: undefined }
  const words = from === undefined ? t.lastPeriods[known(period)] : rangeText(from, to ?? Date.now())
  return (
    <Token title={t.period} words={words} isSet={from !== undefined} onClear={() => change(whole)}>
      {(close) => (
        <>
          <Options
            options={OFFERED.map((each) => [each, t.lastPeriods[each]])}
            value={from === undefined ? period : undefined}
            onChoose={(chosen) => {
              change({ ...whole, period: chosen })
              close()
            }}
          />
          {onRange && (
            <button
              type="button"
              onClick={() => {
                close()
                onRange()
              }}
            >
              {t.chooseTime}
            </button>
          )}
        </>
      )}
    </Token>
  )
}

const known = (period: Period) => OFFERED.find((each) => each === period) ?? '30d'

/** Repeats the day only if it differs. The displayed end is exclusive. */
function rangeText(from: number, to: number): string {
  const end = Math.ceil(to / SECOND_MS) * SECOND_MS
  const isSameDay = DAY.format(from) === DAY.format(end)
  return text.logs.shownTime(EXACT.format(from), (isSameDay ? CLOCK : EXACT).format(end))
}

const SECOND_MS = 1000
const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' })
const EXACT = new Intl.DateTimeFormat(LOCALE, {
  ...{ day: 'numeric', month: 'short' },
  ...{ hour: 'numeric', minute: '2-digit' },
})

export function RangeDialog({ period, onClose }: { period: Period; onClose: () => void }) {
  const t = text.logs
  const [given, change] = useFilters()
  const end = numberOf(given.to) ?? Date.now()
  const [from, setFrom] = useState(localDate(numberOf(given.from) ?? end - lengthOf(period)))
  const [to, setTo] = useState(localDate(end))
  const errors = useFormErrors(null)
  const submit = () => {
    const [first, last] = [from, to].map((date) => new Date(date).getTime())
    const isStart = Number.isFinite(first)
    const isEnd = Number.isFinite(last) && !(isStart && Number(last) <= Number(first))
    const found = { from: isStart ? undefined : t.fromMissing, to: isEnd ? undefined : t.toMissing }
    if (!errors.check(found)) return
    change({ from: String(first), to: String(last) })
    onClose()
  }
  return (
    <FormDialog
      title={t.chooseTime}
      submit={t.showTime}
      isPending={false}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={t.from}
        type="datetime-local"
        value={from}
        error={errors.of('from')}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        label={t.to}
        type="datetime-local"
        value={to}
        error={errors.of('to')}
        onChange={(event) => setTo(event.target.value)}
      />
    </FormDialog>
  )
}
