/** Adds or edits an additional endpoint: name, URL and events. */
import { useState } from 'react'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { addressError } from './address-form.tsx'
import { CHOSEN_EVENTS, type ChosenEvent, EVENT_KINDS } from './events.ts'
import { KINDS, useAddWebhook, useEditWebhook, type Webhook } from './queries.ts'

const t = text.webhooks

type Props = { readonly webhook: Webhook | undefined; readonly onClose: () => void }

export function AdditionalForm({ webhook, onClose }: Props) {
  const [name, setName] = useState(webhook?.name ?? '')
  const [typed, setTyped] = useState(webhook?.address ?? '')
  const [events, setEvents] = useState<readonly string[] | null>(webhook?.events ?? null)
  const [scripts, setScripts] = useState<readonly string[] | null>(webhook?.scripts ?? null)
  const add = useAddWebhook()
  const edit = useEditWebhook(webhook?.id ?? '')
  const save = webhook === undefined ? add : edit
  const showToast = useToast()
  const errors = useFormErrors(save.error)
  const submit = async () => {
    const address = typed.trim()
    const found = {
      name: name.trim() === '' ? t.nameMissing : undefined,
      address: addressError(address),
      events: events?.length === 0 ? t.eventsMissing : undefined,
      scripts: scripts?.length === 0 ? t.scriptsMissing : undefined,
    }
    if (!errors.check(found)) return
    const filters = { events: events as ChosenEvent[] | null, scripts: scripts && [...scripts] }
    const isMoved = address !== webhook?.address
    const done = () => {
      showToast({ title: t.saved })
      onClose()
    }
    if (webhook === undefined) add.mutate({ name, address, ...filters }, { onSuccess: done })
    else edit.mutate({ name, ...(isMoved && { address }), ...filters }, { onSuccess: done })
  }
  return (
    <FormDialog
      title={webhook === undefined ? t.addMore : t.editMore(webhook.name ?? '')}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        error={errors.of('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label={t.address}
        hint={t.addressHint}
        error={errors.of('address')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hook"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <EventChoice chosen={events} onChange={setEvents} error={errors.of('events')} />
      <ScriptChoice chosen={scripts} onChange={setScripts} error={errors.of('scripts')} />
    </FormDialog>
  )
}

type Choice = {
  /** Null means all events or scripts. */
  readonly chosen: readonly string[] | null
  readonly onChange: (chosen: readonly string[] | null) => void
  readonly error: string | undefined
}

function EventChoice({ chosen, onChange, error }: Choice) {
  return (
    <ChoiceGroup legend={t.whichEvents} error={error}>
      <Check radio="events" label={t.allEvents} checked={chosen === null} onChange={() => onChange(null)} />
      <Check
        radio="events"
        label={t.chosenEvents}
        checked={chosen !== null}
        onChange={() => onChange(chosen ?? [])}
      />
      {chosen !== null &&
        KINDS.map((kind) => (
          <fieldset key={kind}>
            <legend>{t.kinds[kind]}</legend>
            <div className="stack tight">
              {CHOSEN_EVENTS.filter((type) => EVENT_KINDS[type] === kind).map((type) => (
                <Check
                  key={type}
                  label={<code>{type}</code>}
                  hint={t.about[type]}
                  checked={chosen.includes(type)}
                  onChange={(is) => onChange(toggled(chosen, type, is))}
                />
              ))}
            </div>
          </fieldset>
        ))}
    </ChoiceGroup>
  )
}

/** Hidden if there are no scripts or they may not be read. */
function ScriptChoice({ chosen, onChange, error }: Choice) {
  const { id } = useProject()
  const names = useScriptNames(id)
  if (names.size === 0 && chosen === null) return null
  return (
    <ChoiceGroup legend={t.whichScripts} hint={t.whichScriptsHint} error={error}>
      <Check radio="scripts" label={t.allScripts} checked={chosen === null} onChange={() => onChange(null)} />
      <Check
        radio="scripts"
        label={t.chosenScripts}
        checked={chosen !== null}
        onChange={() => onChange(chosen ?? [])}
      />
      {chosen !== null &&
        [...names].map(([script, name]) => (
          <Check
            key={script}
            label={name}
            checked={chosen.includes(script)}
            onChange={(is) => onChange(toggled(chosen, script, is))}
          />
        ))}
    </ChoiceGroup>
  )
}

function toggled(chosen: readonly string[], one: string, is: boolean): readonly string[] {
  return is ? [...chosen, one] : chosen.filter((each) => each !== one)
}
