/** A script's settings. */
import { v1ScriptsEdit } from '@scriptward/sdk'
import { type Control, Controller } from 'react-hook-form'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Check } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { showSaved, useKeptForm } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type Script, WRITE } from './queries.ts'

const FLAGS = [
  'free_for_all',
  'use_heartbeat',
  'kick_outdated',
  'require_sessions',
  'silent',
  'report_errors',
  'staged_releases',
] as const
type Values = Pick<Script, 'name' | (typeof FLAGS)[number]> & { disabled_message: string }

const flags = {
  free_for_all: [text.scripts.freeForAll, text.scripts.freeForAllHint],
  use_heartbeat: [text.scripts.heartbeat, text.scripts.heartbeatHint],
  kick_outdated: [text.scripts.kickOutdated, text.scripts.kickOutdatedHint],
  require_sessions: [text.scripts.requireSessions, text.scripts.requireSessionsHint],
  silent: [text.scripts.silent, text.scripts.silentHint],
  report_errors: [text.scripts.reportErrors, text.scripts.reportErrorsHint],
  staged_releases: [text.scripts.stagedReleases, text.scripts.stagedReleasesHint],
} as const

export function Settings({ script }: { script: Script }) {
  const call = useCall()
  const showToast = useToast()
  // Shows changes by others, except in fields that the user has edited.
  const form = useKeptForm<Values>('script-settings', {
    of: script.id,
    values: valuesOf(script),
    resetOptions: { keepDirtyValues: true },
  })
  const { dirtyFields, isDirty, errors } = form.formState
  const save = useChange(async (values: Values) => {
    const changed = Object.keys(dirtyFields) as (keyof Values)[]
    const given = { ...values, name: values.name.trim(), disabled_message: values.disabled_message.trim() }
    const body = Object.fromEntries(changed.map((name) => [name, given[name]]))
    await v1ScriptsEdit({ ...call, path: { script_id: script.id }, body })
    showSaved(form, values, given)
    showToast({ title: text.scripts.saved })
  })
  const refused = useFormErrors(save.error)
  return (
    <Panel title={text.scripts.settings} hint={text.scripts.settingsHint}>
      <Form kept={form.kept} noValidate onSubmit={form.handleSubmit((values) => save.mutate(values))}>
        <Field
          label={text.scripts.name}
          error={errors.name?.message ?? refused.of('name')}
          dir="auto"
          {...form.register('name', { validate: (name) => name.trim() !== '' || text.scripts.noName })}
        />
        {FLAGS.map((flag) => (
          <Flag key={flag} flag={flag} control={form.control} />
        ))}
        <Field
          label={text.scripts.disabledMessage}
          hint={text.scripts.disabledMessageHint}
          error={refused.of('disabled_message')}
          dir="auto"
          {...form.register('disabled_message')}
        />
        <ErrorMessage of={refused.rest} />
        <div className="bar end">
          <GuardedButton
            needs={WRITE}
            reason={isDirty ? undefined : text.scripts.nothingChanged}
            type="submit"
            className="main"
            disabled={save.isPending}
          >
            {text.scripts.save}
          </GuardedButton>
        </div>
      </Form>
    </Panel>
  )
}

function Flag({ flag, control }: { flag: (typeof FLAGS)[number]; control: Control<Values> }) {
  const [label, hint] = flags[flag]
  return (
    <Controller
      name={flag}
      control={control}
      render={({ field }) => (
        <Check label={label} hint={hint} checked={field.value} onChange={field.onChange} />
      )}
    />
  )
}

function valuesOf(script: Script): Values {
  const { name, disabled_message } = script
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, script[flag]])) as Pick<
    Script,
    (typeof FLAGS)[number]
  >
  return { name, ...flags, disabled_message: disabled_message ?? '' }
}
