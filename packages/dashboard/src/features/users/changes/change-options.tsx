/** Inputs for the options of a bulk change, such as the reason for a block. */
import { Check } from '../../../components/fields/choice-group.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { text } from '../../../messages/text.ts'
import { ExpiryField, LengthField } from '../edit/expiry-field.tsx'
import { PlanField } from '../edit/plan-field.tsx'
import styles from '../users.module.css'
import type { ChangeId, Options, Wrong } from './changes.ts'

type OptionsProps = {
  readonly id: ChangeId
  readonly options: Options
  readonly wrong: Wrong
  readonly onChange: (options: Options) => void
}

export function ChangeOptions({ id, options, wrong, onChange }: OptionsProps) {
  const t = text.users
  const change = (changes: Partial<Options>) => onChange({ ...options, ...changes })
  if (id === 'blacklist') return <BlacklistOptions options={options} wrong={wrong} onChange={change} />
  if (id === 'issue')
    return (
      <Field
        label={text.labels.issuedTo}
        dir="auto"
        value={options.issuedTo}
        error={wrong.issuedTo}
        onChange={(event) => change({ issuedTo: event.target.value })}
      />
    )
  if (id === 'tag' || id === 'untag')
    return (
      <Field
        label={text.labels.tags}
        hint={text.labels.tagsHint}
        dir="auto"
        value={options.tags}
        error={wrong.tags}
        onChange={(event) => change({ tags: event.target.value })}
      />
    )
  if (id === 'plan')
    return <PlanField value={options.plan} onChange={(event) => change({ plan: event.target.value })} />
  if (id === 'extend')
    return (
      <div className={styles.length}>
        <LengthField
          value={options.length}
          error={wrong.length}
          onChange={(changes) => change({ length: { ...options.length, ...changes } })}
        />
      </div>
    )
  if (id !== 'reset') return null
  return (
    <Check
      label={t.force}
      hint={t.forceHint}
      checked={options.isForced}
      onChange={(isForced) => change({ isForced })}
    />
  )
}

type BlacklistProps = Pick<OptionsProps, 'options' | 'wrong'> & {
  readonly onChange: (changes: Partial<Options>) => void
}

function BlacklistOptions({ options, wrong, onChange }: BlacklistProps) {
  const t = text.users
  return (
    <>
      <Field
        label={t.reason}
        hint={t.reasonHint}
        dir="auto"
        value={options.reason}
        error={wrong.reason}
        onChange={(event) => onChange({ reason: event.target.value })}
      />
      <ExpiryField
        label={t.blacklistEnd}
        value={options.end}
        error={wrong.end}
        onChange={(end) => onChange({ end })}
      />
    </>
  )
}
