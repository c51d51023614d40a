/** A provider's settings form, generated from the API's definitions. */
import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../../components/fields/field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { CHECK_IP, type Draft, fieldOf } from './provider-draft.ts'
import type { ProviderId, Setting } from './queries.ts'

/** Format of masked secrets: a few characters at each end, with an ellipsis between them. */
const MASKED = /^.{1,4}….{1,4}$/

type Props = {
  readonly provider: ProviderId
  readonly settings: readonly Setting[]
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (field: string) => string | undefined
  /** Whether the step is already saved. */
  readonly isStored: boolean
}

/** Settings whose defaults fit almost everyone. */
const ADVANCED: ReadonlySet<string> = new Set([
  ...['param', 'require_postback', 'override', 'delete_token', CHECK_IP],
])

export function ProviderSettings(given: Props) {
  const values = given.settings.filter(({ type }) => type !== 'info')
  const isAdvanced = ({ id }: Setting) => ADVANCED.has(id)
  const advanced = values.filter(isAdvanced)
  const hasError = advanced.some(({ id }) => given.errorOf(`provider_data.${id}`) !== undefined)
  const listed = (settings: readonly Setting[]) =>
    settings.map((setting) => <OneSetting key={setting.id} {...given} setting={setting} />)
  return (
    <>
      {listed(values.filter((setting) => !isAdvanced(setting)))}
      {advanced.length > 0 && (
        <details open={hasError || undefined}>
          <summary>{t.advanced}</summary>
          <div className="stack tight">{listed(advanced)}</div>
        </details>
      )}
    </>
  )
}

function OneSetting({ provider, setting, form, errorOf, isStored }: Props & { setting: Setting }) {
  const { name, info } = setting
  const field = fieldOf(provider, setting.id)
  const error = errorOf(`provider_data.${setting.id}`)
  if (setting.type === 'toggle')
    return (
      <div className="stack tight">
        <label className="check">
          <input type="checkbox" {...form.register(`toggles.${field}`)} />
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
        {...form.register(`texts.${field}`)}
      />
    )
  }
  const isMasked = isStored && MASKED.test(form.formState.defaultValues?.secrets?.[field] ?? '')
  return (
    <Field
      label={name}
      hint={isMasked ? `${info} ${t.secretKept}` : info}
      error={error}
      autoComplete="off"
      spellCheck={false}
      {...form.register(`${setting.secret ? 'secrets' : 'texts'}.${field}`)}
    />
  )
}
