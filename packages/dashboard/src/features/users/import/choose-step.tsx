/** First step of an import: a file or pasted content. */
import { useState } from 'react'
import { AreaField } from '../../../components/fields/area-field.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { text } from '../../../messages/text.ts'
import { PlanField } from '../edit/plan-field.tsx'
import { readSheet, type Sheet } from './sheet.ts'

type Props = {
  readonly kept: KeptInput
  readonly pasted: string
  readonly onPasted: (pasted: string) => void
  readonly plan: string
  readonly onPlan: (plan: string) => void
  readonly onChoose: (sheet: Sheet) => void
  readonly onClose: () => void
}

export function ChooseStep({ kept, pasted, onPasted, plan, onPlan, onChoose, onClose }: Props) {
  const t = text.users
  const [error, setError] = useState<string>()
  const [isReading, setIsReading] = useState(false)
  const read = async (file: File) => {
    setIsReading(true)
    const sheet = await readSheet(file).catch(() => t.noRows)
    setIsReading(false)
    if (typeof sheet === 'string') return setError(sheet)
    onChoose(sheet)
  }
  return (
    <Form
      kept={kept}
      onSubmit={(event) => {
        event.preventDefault()
        void read(new File([pasted], 'pasted'))
      }}
    >
      <p className="hint">{t.importHint}</p>
      <PlanField
        label={t.importPlan}
        value={plan}
        disabled={isReading}
        onChange={(event) => onPlan(event.target.value)}
      />
      <Field
        label={t.importFile}
        type="file"
        accept=".csv,.json,.txt,text/csv,application/json"
        disabled={isReading}
        error={error}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) void read(file)
        }}
      />
      <AreaField label={t.importPaste} hint={t.importPasteHint} value={pasted} onChange={onPasted} />
      {isReading && <p role="status">{t.reading}</p>}
      <div className="bar end">
        <button type="button" onClick={onClose}>
          {text.cancel}
        </button>
        <button type="submit" className="main" disabled={pasted.trim() === '' || isReading}>
          {t.next}
        </button>
      </div>
    </Form>
  )
}
