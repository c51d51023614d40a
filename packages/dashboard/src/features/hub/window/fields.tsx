/** The key window's options. */
import { ColorField } from '../../../components/fields/color-field.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import type { Draft, Mistakes } from './options.ts'

type Props = {
  readonly kept: KeptInput
  readonly draft: Draft
  readonly mistakes: Mistakes
  readonly onChange: (change: Partial<Draft>) => void
}

export function WindowFields({ kept, draft, mistakes, onChange }: Props) {
  const { name } = useProject()
  const t = text.keyWindow
  return (
    <Form kept={kept} noValidate onSubmit={(event) => event.preventDefault()}>
      <Field
        label={t.title}
        hint={t.titleHint}
        placeholder={name}
        autoComplete="off"
        value={draft.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <ColorField
        label={t.accent}
        hint={t.accentHint}
        error={mistakes.accent}
        value={draft.accent}
        onChange={(accent) => onChange({ accent })}
      />
      <Field
        label={t.logo}
        hint={t.logoHint}
        error={mistakes.logo}
        autoComplete="off"
        spellCheck={false}
        value={draft.logo}
        onChange={(event) => onChange({ logo: event.target.value })}
      />
      <SelectField
        label={t.getKey}
        hint={t.getKeyHint}
        value={draft.get_key}
        options={[
          ['', t.getKeys.project],
          ['true', t.getKeys.shown],
          ['false', t.getKeys.hidden],
        ]}
        onChange={(event) => onChange({ get_key: event.target.value as Draft['get_key'] })}
      />
      <Field
        label={t.buy}
        hint={t.buyHint}
        error={mistakes.buy}
        type="url"
        inputMode="url"
        autoComplete="off"
        value={draft.buy}
        onChange={(event) => onChange({ buy: event.target.value })}
      />
    </Form>
  )
}
