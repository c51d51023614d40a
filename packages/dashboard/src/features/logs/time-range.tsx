/** The time range of the log, and a form to choose one without dragging over the chart. */
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useFilters } from '../../lib/address.ts'
import { exactly, localDate } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { lengthOf, type Period } from '../../queries/outcomes.ts'
import { numberOf } from './queries.ts'

type Props = { readonly period: Period }

export function TimeRange({ period }: Props) {
  const t = text.logs
  const [given, change] = useFilters()
  const [isOpen, setIsOpen] = useState(false)
  const [from, to] = [numberOf(given.from), numberOf(given.to)]
  return (
    <div className="bar">
      <span role="status">{from !== undefined && t.shownTime(exactly(from), exactly(to ?? Date.now()))}</span>
      <button type="button" className="link" onClick={() => setIsOpen(true)}>
        {t.chooseTime}
      </button>
      {from !== undefined && (
        <button type="button" className="link" onClick={() => change({ from: undefined, to: undefined })}>
          {t.clearTime}
        </button>
      )}
      {isOpen && <RangeDialog period={period} onClose={() => setIsOpen(false)} />}
    </div>
  )
}

function RangeDialog({ period, onClose }: Props & { onClose: () => void }) {
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
