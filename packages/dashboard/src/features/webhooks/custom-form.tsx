/** Adds or edits a custom endpoint: name, URL and events. */
import { useState } from 'react'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { isSame } from '../../components/fields/kept-input.ts'
import { useKept, useKeptState, useUnkeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useIsPhone } from '../../lib/narrow.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { addressError } from './address-form.tsx'
import styles from './event-list.module.css'
import { CHOSEN_EVENTS, type ChosenEvent, EVENT_KINDS } from './events.ts'
import { KINDS, type Kind, useAddWebhook, useEditWebhook, type Webhook } from './queries.ts'

const t = webhooksText

/** Null means all events or scripts. */
type Chosen = readonly string[] | null
type Props = { readonly webhook: Webhook | undefined; readonly onClose: () => void }

export function CustomForm({ webhook, onClose }: Props) {
  // Only fields that the user changed are sent, so that other people's changes are kept.
  const [first] = useState(webhook)
  const kept = useKept('webhook', first?.id)
  const [name, setName] = useKeptState(kept, 'name', first?.name ?? '')
  // The URL isn't kept, because it is a secret: Discord URLs contain a token that lets anyone post.
  const [typed, setTyped] = useUnkeptState(kept, 'address', first?.address ?? '')
  const [events, setEvents] = useKeptState<Chosen>(kept, 'events', first?.events ?? null)
  const [scripts, setScripts] = useKeptState<Chosen>(kept, 'scripts', first?.scripts ?? null)
  const showToast = useToast()
  const saved = () => {
    showToast({ title: t.saved })
    kept.forget()
  }
  const add = useAddWebhook(saved)
  const edit = useEditWebhook(first?.id ?? '', saved)
  const save = first === undefined ? add : edit
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
    const all = { name, address, ...filters }
    const then = { onSuccess: onClose }
    if (first === undefined) add.mutate(all, then)
    else edit.mutate(changesIn(all, first), then)
  }
  return (
    <FormDialog
      kept={kept}
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

/** Returns the fields that differ from those of the endpoint. */
function changesIn<Fields extends Partial<Webhook>>(all: Fields, first: Webhook): Partial<Fields> {
  const names = Object.keys(all) as (keyof Fields & keyof Webhook)[]
  const changed = names.filter((name) => !isSame(all[name], first[name]))
  return Object.fromEntries(changed.map((name) => [name, all[name]])) as Partial<Fields>
}

type Choice = {
  readonly chosen: Chosen
  readonly onChange: (chosen: Chosen) => void
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
      {chosen !== null && KINDS.map((kind) => <EventsOfKind key={kind} {...{ kind, chosen, onChange }} />)}
    </ChoiceGroup>
  )
}

type KindProps = Pick<Choice, 'onChange'> & { readonly kind: Kind; readonly chosen: readonly string[] }

/** Collapsed on phones, where the full list of events would fill several screens. */
function EventsOfKind({ kind, chosen, onChange }: KindProps) {
  const isPhone = useIsPhone()
  const types = CHOSEN_EVENTS.filter((type) => EVENT_KINDS[type] === kind)
  const checks = (
    <div className={`stack tight ${isPhone ? styles.choices : ''}`}>
      {types.map((type) => (
        <Check
          key={type}
          label={<code>{type}</code>}
          hint={t.about[type]}
          checked={chosen.includes(type)}
          onChange={(is) => onChange(toggled(chosen, type, is))}
        />
      ))}
    </div>
  )
  const selected = types.filter((type) => chosen.includes(type)).length
  return (
    <fieldset>
      <legend>{t.kinds[kind]}</legend>
      {isPhone ? (
        <details>
          <summary>{t.eventsOf(types.length, selected)}</summary>
          {checks}
        </details>
      ) : (
        checks
      )}
    </fieldset>
  )
}

/** Hidden if there are no scripts, or if the user may not read them. */
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
