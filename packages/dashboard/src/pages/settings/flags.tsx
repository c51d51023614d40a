/** What a project does with its users, flag by flag. Only what was changed is sent, so that a change in another tab stays. */
import { type V1ProjectsEditData, v1ProjectsEdit } from '@scriptward/sdk'
import { type FieldErrors, type UseFormRegister, useForm } from 'react-hook-form'
import { useCall, useChange } from '../../api.ts'
import { Complaint } from '../../parts/complaint.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field } from '../../parts/field.tsx'
import { useFormErrors } from '../../parts/form-errors.ts'
import { GuardedButton } from '../../parts/guarded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { type Project, useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import styles from './settings.module.css'

const HOUR = 3_600_000
const LONGEST_NAME = 100
const LONGEST_URL = 200

type Draft = {
  name: string
  support_url: string
  cooldown: string
  allow_fingerprint_resets: boolean
  delete_expired_users: boolean
  require_chat: boolean
  require_join_chat_server: boolean
  allow_checks: boolean
  guests_need_device: boolean
}
type Flag = { [Name in keyof Draft]: Draft[Name] extends boolean ? Name : never }[keyof Draft]

/** The flags of each panel, with their words. */
const GROUPS = [
  {
    id: 'devices',
    title: text.settings.devicesTitle,
    hint: text.settings.devicesHint,
    flags: [
      ['allow_fingerprint_resets', text.settings.allowResets, text.settings.allowResetsHint],
      ['guests_need_device', text.settings.guestsNeedDevice, text.settings.guestsNeedDeviceHint],
    ],
  },
  {
    id: 'users',
    title: text.settings.usersTitle,
    hint: text.settings.usersHint,
    flags: [['delete_expired_users', text.settings.deleteExpired, text.settings.deleteExpiredHint]],
  },
  {
    id: 'chat',
    title: text.settings.chatTitle,
    hint: text.settings.chatHint,
    flags: [
      ['require_chat', text.settings.requireChat, text.settings.requireChatHint],
      ['require_join_chat_server', text.settings.requireJoin, text.settings.requireJoinHint],
    ],
  },
  {
    id: 'checks',
    title: text.settings.checksTitle,
    hint: text.settings.checksHint,
    flags: [['allow_checks', text.settings.allowChecks, text.settings.allowChecksHint]],
  },
] as const satisfies readonly {
  id: string
  title: string
  hint: string
  flags: readonly (readonly [Flag, string, string])[]
}[]

export function FlagsForm() {
  const { form, save, submit } = useSettings()
  const { isDirty, errors } = form.formState
  const server = useFormErrors(save.error)
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <General register={form.register} errors={errors} serverError={server.of} />
      <div className={styles.groups}>
        {GROUPS.map(({ id, title, hint, flags }) => (
          <Panel key={id} title={title} hint={hint}>
            {flags.map(([name, words, about]) => (
              <label key={name} className="check">
                <input type="checkbox" {...form.register(name)} />
                <span>
                  {words}
                  <span className="hint">{about}</span>
                </span>
              </label>
            ))}
            {id === 'devices' && (
              <Field
                label={text.settings.cooldown}
                hint={text.settings.cooldownHint}
                error={errors.cooldown?.message ?? server.of('fingerprint_reset_cooldown')}
                inputMode="decimal"
                autoComplete="off"
                {...form.register('cooldown', {
                  validate: (hours) => isHours(hours) || text.settings.cooldownWrong,
                })}
              />
            )}
          </Panel>
        ))}
      </div>
      <Complaint of={server.rest} />
      {isDirty && (
        <div className={styles.save}>
          <span role="status">{text.settings.unsaved}</span>
          <div className="bar">
            <button type="button" onClick={() => form.reset()}>
              {text.settings.discard}
            </button>
            <GuardedButton needs="projects:write" type="submit" className="main" disabled={save.isPending}>
              {text.save}
            </GuardedButton>
          </div>
        </div>
      )}
    </form>
  )
}

type GeneralGiven = {
  readonly register: UseFormRegister<Draft>
  readonly errors: FieldErrors<Draft>
  readonly serverError: (field: string) => string | undefined
}

function General({ register, errors, serverError }: GeneralGiven) {
  const { id } = useProject()
  return (
    <Panel title={text.settings.generalTitle}>
      <div className="row top">
        <Field
          label={text.name}
          error={errors.name?.message ?? serverError('name')}
          autoComplete="off"
          maxLength={LONGEST_NAME}
          {...register('name', { validate: (name) => name.trim() !== '' || text.settings.nameMissing })}
        />
        <Field
          label={text.settings.supportUrl}
          hint={text.settings.supportUrlHint}
          error={serverError('support_url')}
          type="url"
          inputMode="url"
          autoComplete="off"
          maxLength={LONGEST_URL}
          {...register('support_url')}
        />
      </div>
      <div className="bar">
        <span className="hint">{text.settings.projectId}</span>
        <code>{id}</code>
        <CopyButton value={id} />
      </div>
    </Panel>
  )
}

function useSettings() {
  const call = useCall()
  const say = useSay()
  const project = useProject()
  const form = useForm<Draft>({ values: draftOf(project), resetOptions: { keepDirtyValues: true } })
  const changed = form.formState.dirtyFields
  const save = useChange(async (draft: Draft) => {
    const body = membersOf(draft, changed)
    const { data } = await v1ProjectsEdit({ ...call, path: { project_id: project.id }, body })
    form.reset(draftOf(data.project))
    say({ title: text.settings.saved })
  })
  return { form, save, submit: form.handleSubmit((draft) => save.mutate(draft)) }
}

function draftOf(project: Project): Draft {
  const { name, support_url, fingerprint_reset_cooldown, ...rest } = project
  return {
    name,
    support_url: support_url ?? '',
    cooldown: String(fingerprint_reset_cooldown / HOUR),
    allow_fingerprint_resets: rest.allow_fingerprint_resets,
    delete_expired_users: rest.delete_expired_users,
    require_chat: rest.require_chat,
    require_join_chat_server: rest.require_join_chat_server,
    allow_checks: rest.allow_checks,
    guests_need_device: rest.guests_need_device,
  }
}

type Dirty = Readonly<Partial<Record<keyof Draft, boolean>>>

function membersOf(draft: Draft, changed: Dirty): NonNullable<V1ProjectsEditData['body']> {
  const { cooldown, name, support_url, ...flags } = draft
  const members = {
    ...flags,
    name: name.trim(),
    support_url: support_url.trim(),
  }
  return {
    ...Object.fromEntries(Object.entries(members).filter(([each]) => changed[each as keyof Draft])),
    ...(changed.cooldown && { fingerprint_reset_cooldown: Math.round(hoursIn(cooldown) * HOUR) }),
  }
}

/** Also as it is written with a comma. */
function hoursIn(typed: string): number {
  return typed.trim() === '' ? Number.NaN : Number(typed.trim().replace(',', '.'))
}

const MOST_HOURS = 1_000_000

function isHours(typed: string): boolean {
  const hours = hoursIn(typed)
  return hours >= 0 && hours <= MOST_HOURS
}
