/** Creates or edits a variable: its value as a string or JSON, and the scripts and plans that receive it. */
import { useState } from 'react'
import { AreaField } from '../../components/fields/area-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { usePlans } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { type Draft, draftOf, validate, variableIn } from './draft.ts'
import { LimitField } from './limit-field.tsx'
import { useReplace, type VariableSet } from './queries.ts'

type Props = {
  readonly set: VariableSet
  /** Name of the variable to edit; omit to create one. */
  readonly name?: string | undefined
  readonly onClose: () => void
}

export function VariableForm({ set, name: before, onClose }: Props) {
  const t = text.variables
  const showToast = useToast()
  // Keeps the values from when the form was opened, so that saving doesn't overwrite later changes by others.
  const [first] = useState(set)
  const kept = useKept('variable', before)
  const [saved] = useState(() => draftOf(before ?? '', first.variables[before ?? '']))
  const [draft, setDraft] = useKeptState(kept, 'draft', saved)
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const name = draft.name.trim()
  const save = useReplace(first, () => {
    showToast({ title: t.saved(name) })
    kept.forget(onClose)
  })
  const errors = useFormErrors(save.error)
  const member = (of: string) => errors.of(of) ?? errors.of(`variables.${name}.${of}`)
  const submit = () => {
    const { [before ?? '']: _, ...others } = first.variables
    if (errors.check(validate(draft, Object.keys(others))))
      save.mutate({ ...others, [name]: variableIn(draft) })
  }
  return (
    <FormDialog
      kept={kept}
      title={before === undefined ? t.newVariable : t.editOf(before)}
      submit={text.save}
      isWide
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <div className="row top">
        <Field
          label={t.name}
          hint={t.nameHint}
          autoComplete="off"
          spellCheck={false}
          error={member('name')}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <SelectField
          label={t.kind}
          value={draft.kind}
          options={(['text', 'json'] as const).map((each) => [each, t.kinds[each]])}
          onChange={(event) => change({ kind: event.target.value as Draft['kind'] })}
        />
      </div>
      <AreaField
        label={t.value}
        hint={t.valueHints[draft.kind]}
        error={member('value') ?? errors.of('variables')}
        value={draft.typed}
        onChange={(typed) => change({ typed })}
      />
      <Limits draft={draft} errorOf={member} onChange={change} />
    </FormDialog>
  )
}

type LimitsProps = {
  readonly draft: Draft
  readonly errorOf: (member: string) => string | undefined
  readonly onChange: (changes: Partial<Draft>) => void
}

function Limits({ draft, errorOf, onChange }: LimitsProps) {
  const t = text.variables
  const scripts = useScriptNames(useProject().id)
  const plans = new Map((usePlans().data ?? []).map(({ id, name }) => [id, name]))
  return (
    <>
      <LimitField
        legend={t.scripts}
        all={t.allScripts}
        some={t.someScripts}
        none={t.noScripts}
        names={scripts}
        chosen={draft.scripts}
        error={errorOf('scripts')}
        onChange={(chosen) => onChange({ scripts: chosen })}
      />
      <LimitField
        legend={t.plans}
        all={t.allPlans}
        some={t.somePlans}
        none={t.noPlans}
        names={plans}
        chosen={draft.plans}
        error={errorOf('plans')}
        onChange={(chosen) => onChange({ plans: chosen })}
      />
    </>
  )
}
