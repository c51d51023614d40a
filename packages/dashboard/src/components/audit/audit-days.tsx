/** The days shown in the audit log: the most recent days or a range, in the browser's time zone. */
import { useState } from 'react'
import { LOCALE } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { Field } from '../fields/field.tsx'
import { FormDialog } from '../overlays/dialog.tsx'
import { type Option, Options, Token } from '../sentence/token.tsx'
import { dayBefore } from './local-days.ts'

type Days = { readonly from?: string | undefined; readonly to?: string | undefined }
type Props = { readonly filters: Days; readonly onChange: (days: Days) => void }

const RECENT = [1, 7, 30] as const

export function AuditDays({
  filters: { from, to },
  onChange,
  onRange,
}: Props & { readonly onRange: () => void }) {
  const t = text.auditSentence
  const options: readonly Option[] = [
    [undefined, t.allTime],
    ...RECENT.map((days): Option => [dayBefore(days), t.lastDays(days)]),
  ]
  const isSet = from !== undefined || to !== undefined
  const recent = to === undefined ? options.find(([day]) => day === from)?.[1] : undefined
  return (
    <Token
      title={t.period}
      words={recent ?? rangeText(from, to)}
      isSet={isSet}
      onClear={() => onChange({ from: undefined, to: undefined })}
    >
      {(close) => (
        <>
          <Options
            options={options}
            value={from}
            onChoose={(day) => {
              onChange({ from: day, to: undefined })
              close()
            }}
          />
          <button
            type="button"
            onClick={() => {
              close()
              onRange()
            }}
          >
            {t.chooseDays}
          </button>
        </>
      )}
    </Token>
  )
}

function rangeText(from: string | undefined, to: string | undefined): string {
  const t = text.auditSentence
  if (from === undefined) return t.until(shown(to))
  return to === undefined ? t.since(shown(from)) : t.between(shown(from), shown(to))
}

const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' })

function shown(day = ''): string {
  const time = Date.parse(`${day}T00:00:00`)
  return Number.isNaN(time) ? day : DAY.format(time)
}

export function DaysDialog({ filters, onChange, onClose }: Props & { readonly onClose: () => void }) {
  const t = text.auditSentence
  const [from, setFrom] = useState(filters.from ?? '')
  const [to, setTo] = useState(filters.to ?? '')
  const submit = () => {
    onChange({ from: from || undefined, to: to || undefined })
    onClose()
  }
  return (
    <FormDialog
      title={t.chooseDays}
      submit={t.show}
      isPending={false}
      error={null}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={text.from}
        type="date"
        value={from}
        max={to || undefined}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        label={text.to}
        type="date"
        value={to}
        min={from || undefined}
        onChange={(event) => setTo(event.target.value)}
      />
    </FormDialog>
  )
}
