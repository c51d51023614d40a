/** Project settings. Only changed fields are sent, so that edits from another tab are kept. */
import { type V1ProjectsEditData, v1ProjectsEdit } from '@scriptward/sdk'
import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { KeyFormatField } from '../../components/fields/key-format-field.tsx'
import { showSaved, useKeptForm } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { addressOf } from '../../lib/address.ts'
import { tidyFormat } from '../../lib/key-formats.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type Project, useProject } from '../../queries/projects.ts'
import { Section } from './sections.tsx'
import styles from './settings.module.css'

const HOUR = 3_600_000
const DAY = 24 * HOUR

type Draft = {
  name: string
  support_url: string
  cooldown: string
  share_threshold: string
  expiring_lead: string
  key_format: string
  allow_fingerprint_resets: boolean
  delete_expired_users: boolean
  require_chat: boolean
  require_join_chat_server: boolean
  allow_checks: boolean
  guests_need_device: boolean
}
type Flag = { [Name in keyof Draft]: Draft[Name] extends boolean ? Name : never }[keyof Draft]

/** The settings in each panel, with their labels. */
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
    <Form kept={form.kept} hasDiscard onSubmit={submit} noValidate>
      <Section id="general">
        <General register={form.register} errors={errors} serverError={server.of} />
      </Section>
      {GROUPS.map(({ id, title, hint, flags }) => (
        <Section key={id} id={id}>
          <Panel title={title} hint={hint}>
            {flags.map(([name, words, about]) => (
              <label key={name} className="check">
                <input type="checkbox" {...form.register(name)} />
                <span>
                  {words}
                  <span className="hint">{about}</span>
                </span>
              </label>
            ))}
            {id === 'chat' && <BotLink />}
            {id === 'users' && (
              <UserNumbers
                register={form.register}
                errors={errors}
                serverError={server.of}
                format={form.watch('key_format')}
              />
            )}
            {id === 'devices' && (
              <Field
                label={text.settings.cooldown}
                hint={text.settings.cooldownHint}
                error={errors.cooldown?.message ?? server.of('fingerprint_reset_cooldown')}
                inputMode="decimal"
                autoComplete="off"
                {...form.register('cooldown', {
                  validate: (hours) => isUpTo(MAX_HOURS, hours) || text.settings.cooldownWrong,
                })}
              />
            )}
          </Panel>
        </Section>
      ))}
      <ErrorMessage of={server.rest} />
      {isDirty && (
        <div className={styles.save}>
          <span role="status">{text.settings.unsaved}</span>
          <div className="bar">
            <button type="button" onClick={() => form.kept.discard()}>
              {text.settings.discard}
            </button>
            <GuardedButton needs="projects:write" type="submit" className="main" disabled={save.isPending}>
              {text.save}
            </GuardedButton>
          </div>
        </div>
      )}
    </Form>
  )
}

function BotLink() {
  const { id } = useProject()
  return (
    <p>
      <a href={addressOf.project(id, 'discord')}>{text.settings.toBot}</a>
    </p>
  )
}

type GeneralProps = {
  readonly register: UseFormRegister<Draft>
  readonly errors: FieldErrors<Draft>
  readonly serverError: (field: string) => string | undefined
}

function General({ register, errors, serverError }: GeneralProps) {
  const { id } = useProject()
  return (
    <Panel title={text.settings.generalTitle} hint={text.settings.generalHint}>
      <div className="row top">
        <Field
          label={text.name}
          error={errors.name?.message ?? serverError('name')}
          autoComplete="off"
          {...register('name', { validate: (name) => name.trim() !== '' || text.settings.nameMissing })}
        />
        <Field
          label={text.settings.supportUrl}
          hint={text.settings.supportUrlHint}
          error={serverError('support_url')}
          type="url"
          inputMode="url"
          autoComplete="off"
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

function UserNumbers({ register, errors, serverError, format }: GeneralProps & { readonly format: string }) {
  return (
    <>
      <KeyFormatField
        label={text.keyFormats.label}
        hint={text.keyFormats.hint}
        typed={format}
        error={serverError('key_format')}
        {...register('key_format')}
      />
      <Field
        label={text.settings.expiringLead}
        hint={text.settings.expiringLeadHint}
        error={errors.expiring_lead?.message ?? serverError('expiring_lead')}
        inputMode="decimal"
        autoComplete="off"
        {...register('expiring_lead', {
          validate: (days) => isUpTo(MAX_DAYS, days) || text.settings.expiringLeadWrong,
        })}
      />
      <Field
        label={text.bans.threshold}
        hint={text.bans.thresholdHint}
        error={errors.share_threshold?.message ?? serverError('share_threshold')}
        inputMode="numeric"
        autoComplete="off"
        {...register('share_threshold', {
          validate: (count) => isThreshold(count) || text.bans.thresholdWrong,
        })}
      />
    </>
  )
}

function useSettings() {
  const call = useCall()
  const showToast = useToast()
  const project = useProject()
  const form = useKeptForm<Draft>('project-settings', {
    values: draftOf(project),
    resetOptions: { keepDirtyValues: true },
  })
  const changed = form.formState.dirtyFields
  const save = useChange(async (draft: Draft) => {
    const body = membersOf(draft, changed)
    const { data } = await v1ProjectsEdit({ ...call, path: { project_id: project.id }, body })
    showSaved(form, draft, draftOf(data.project))
    showToast({ title: text.settings.saved })
  })
  return { form, save, submit: form.handleSubmit((draft) => save.mutate(draft)) }
}

function draftOf(project: Project): Draft {
  const { name, support_url, fingerprint_reset_cooldown, ...rest } = project
  return {
    name,
    support_url: support_url ?? '',
    cooldown: String(fingerprint_reset_cooldown / HOUR),
    share_threshold: String(rest.share_threshold),
    expiring_lead: String(rest.expiring_lead / DAY),
    key_format: rest.key_format ?? '',
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
  const { cooldown, share_threshold, expiring_lead, key_format, name, support_url, ...flags } = draft
  const members = {
    ...flags,
    name: name.trim(),
    support_url: support_url.trim(),
    key_format: tidyFormat(key_format),
  }
  return {
    ...Object.fromEntries(Object.entries(members).filter(([each]) => changed[each as keyof Draft])),
    ...(changed.share_threshold && { share_threshold: Number(share_threshold) }),
    ...(changed.expiring_lead && { expiring_lead: Math.round(numberIn(expiring_lead) * DAY) }),
    ...(changed.cooldown && { fingerprint_reset_cooldown: Math.round(numberIn(cooldown) * HOUR) }),
  }
}

/** Accepts a decimal comma. */
function numberIn(typed: string): number {
  return typed.trim() === '' ? Number.NaN : Number(typed.trim().replace(',', '.'))
}

const MAX_NETWORKS = 32

function isThreshold(typed: string): boolean {
  return /^\s*\d{1,2}\s*$/.test(typed) && Number(typed) <= MAX_NETWORKS
}

const MAX_HOURS = 1_000_000
const MAX_DAYS = 90

function isUpTo(most: number, typed: string): boolean {
  const count = numberIn(typed)
  return count >= 0 && count <= most
}
