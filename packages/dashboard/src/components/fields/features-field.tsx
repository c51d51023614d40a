/** Edits the features of a plan or key as rows: a name, a kind and, for most kinds, a value. */

import { type FeatureKind, type FeatureRow, MAX_FEATURES } from '../../lib/features.ts'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { ChoiceGroup } from './choice-group.tsx'
import styles from './features-field.module.css'
import { Field } from './field.tsx'
import { SelectField } from './select-field.tsx'

type Props = {
  readonly legend: string
  readonly hint: string
  readonly kinds: readonly FeatureKind[]
  readonly rows: readonly FeatureRow[]
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (rows: FeatureRow[]) => void
}

export function FeaturesField({ legend, hint, kinds, rows, errorOf, onChange }: Props) {
  const t = text.plans
  const change = (at: number, changes: Partial<FeatureRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changes } : row)))
  const errors = rows.map(
    (_, at) => [errorOf(`features.${at}.name`), errorOf(`features.${at}.value`)] as const,
  )
  return (
    <ChoiceGroup
      legend={legend}
      hint={hint}
      error={errors.flat().some(Boolean) ? undefined : errorOf('features')}
    >
      {rows.map((row, at) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and they keep their order.
          key={at}
          row={row}
          kinds={kinds}
          errors={errors[at] ?? []}
          onChange={(changes) => change(at, changes)}
          remove={
            <button
              type="button"
              aria-label={t.removeFeature(row.name.trim() || number(at + 1))}
              onClick={() => onChange(rows.toSpliced(at, 1))}
            >
              ×
            </button>
          }
        />
      ))}
      {rows.length < MAX_FEATURES && (
        <div className="bar">
          <button type="button" onClick={() => onChange([...rows, { name: '', kind: 'yes', value: '' }])}>
            {t.addFeature}
          </button>
        </div>
      )}
    </ChoiceGroup>
  )
}

type RowProps = {
  readonly row: FeatureRow
  readonly kinds: readonly FeatureKind[]
  readonly errors: readonly (string | undefined)[]
  readonly remove: React.ReactNode
  readonly onChange: (changes: Partial<FeatureRow>) => void
}

function Row({
  row: { name, kind, value },
  kinds,
  errors: [nameError, valueError],
  remove,
  onChange,
}: RowProps) {
  const t = text.plans
  const hasValue = kind === 'number' || kind === 'text'
  return (
    <div className={styles.row}>
      <Field
        label={t.featureName}
        autoComplete="off"
        spellCheck={false}
        value={name}
        error={nameError}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <SelectField
        label={t.featureKind}
        value={kind}
        options={kinds.map((each) => [each, t.featureKinds[each]])}
        onChange={(event) => onChange({ kind: event.target.value as FeatureKind })}
      />
      {hasValue && (
        <Field
          label={t.featureValue}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          dir="auto"
          value={value}
          error={valueError}
          onChange={(event) => onChange({ value: event.target.value })}
        />
      )}
      <div className={styles.remove}>{remove}</div>
    </div>
  )
}
