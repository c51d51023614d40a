/** The settings form of a provider, generated from the definitions of the API. */
import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../../components/fields/field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { text } from '../../messages/text.ts'
import { type Draft, fieldOf, isOnUnlessSet } from './provider-draft.ts'
import type { ProviderId, Setting } from './queries.ts'

const t = text.ads
const CHECK_IP = 'check_ip'
/** Format of masked secrets: both ends around an ellipsis. */
const MASKED = /^.{1,4}….{1,4}$/

type Props = {
  readonly provider: ProviderId
  readonly settings: readonly Setting[]
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (field: string) => string | undefined
  /** Whether the step is already saved. */
  readonly isStored: boolean
}

export function ProviderSettings(given: Props) {
  return given.settings
    .filter(({ type }) => type !== 'info')
    .map((setting) => <OneSetting key={setting.id} {...given} setting={setting} />)
}

function OneSetting({ provider, setting, form, errorOf, isStored }: Props & { setting: Setting }) {
  const { name, info } = setting
  const field = fieldOf(provider, setting.id)
  const error = errorOf(`provider_data.${setting.id}`)
  if (setting.type === 'toggle')
    return (
      <div className="stack tight">
        <label className="check">
          <input
            type="checkbox"
            defaultChecked={isOnUnlessSet(setting.id)}
            {...form.register(`toggles.${field}`)}
          />
          <span>
            {name}
            <span className="hint">{info}</span>
          </span>
        </label>
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    )
  if (setting.id === CHECK_IP) {
    const options = Object.entries(t.checkIps)
    return (
      <SelectField
        label={name}
        hint={info}
        error={error}
        options={options}
        defaultValue="prefix"
        {...form.register(`texts.${field}`)}
      />
    )
  }
  const isMasked = isStored && MASKED.test(form.formState.defaultValues?.texts?.[field] ?? '')
  return (
    <Field
      label={name}
      hint={isMasked ? `${info} ${t.secretKept}` : info}
      error={error}
      autoComplete="off"
      spellCheck={false}
      {...form.register(`texts.${field}`)}
    />
  )
}
