/** Lists, creates and removes announcements. */
import { v1AnnouncementsCreate, v1AnnouncementsRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { AreaField } from '../../components/fields/area-field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { lengthOf, type Unit } from '../users/edit/expiry.ts'
import { LengthField } from '../users/edit/expiry-field.tsx'
import userStyles from '../users/users.module.css'
import type { Limit } from './draft.ts'
import { LimitField } from './limit-field.tsx'
import { type Announcement, useAnnouncements } from './queries.ts'
import styles from './variables.module.css'

const WRITE = 'projects:write'
const LEVELS = ['info', 'warning', 'critical'] as const
const TONES: Readonly<Record<Announcement['level'], Tone>> = {
  info: 'plain',
  warning: 'warn',
  critical: 'bad',
}

export function Announcements() {
  const t = text.announcements
  const { id } = useProject()
  const query = useAnnouncements()
  const [isNew, setIsNew] = useState(false)
  const [removed, setRemoved] = useState<Announcement | null>(null)
  const all = query.data ?? []
  return (
    <Panel
      title={t.title}
      hint={
        <>
          {t.intro} <a href={addressOf.project(id, 'scripts')}>{t.toSwitchOff}</a>
        </>
      }
      actions={
        <GuardedButton needs={WRITE} onClick={() => setIsNew(true)}>
          {t.announce}
        </GuardedButton>
      }
    >
      <QueryBoundary query={query}>
        {all.length === 0 && <p className="hint">{t.none}</p>}
        {all.length > 0 && (
          <ul className="rows" aria-label={t.title}>
            {all.map((one) => (
              <Line key={one.id} announcement={one} onRemove={() => setRemoved(one)} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      {isNew && <NewAnnouncement onClose={() => setIsNew(false)} />}
      {removed && <Removal announcement={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  )
}

function Line({ announcement, onRemove }: { announcement: Announcement; onRemove: () => void }) {
  const t = text.announcements
  const names = useScriptNames(useProject().id)
  const { text: words, level, until, scripts, users } = announcement
  return (
    <li>
      <div className="main-text">
        <div className={styles.announcement}>
          <Badge tone={TONES[level]}>{t.levels[level]}</Badge>
          <span className={styles.text} dir="auto">
            {words}
          </span>
        </div>
        <div className="facts">
          <span>
            {t.ends} <Time at={until} />
          </span>
          {scripts && (
            <span>{text.variables.ofScripts(scripts.map((id) => names.get(id) ?? id).join(', '))}</span>
          )}
          {users !== null && <span>{t.keys(users)}</span>}
        </div>
      </div>
      <div className="actions">
        <RowButton needs={WRITE} label={text.remove} of={words} isDanger onClick={onRemove} />
      </div>
    </li>
  )
}

type Length = { readonly amount: string; readonly unit: Unit }
type NewProps = {
  /** If set, limits the announcement to the keys that reported this error. */
  readonly error?: { readonly id: string; readonly keys: number }
  readonly onClose: () => void
}

export function NewAnnouncement({ error, onClose }: NewProps) {
  const t = text.announcements
  const kept = useKept('announcement', error?.id)
  const [typed, setTyped] = useKeptState(kept, 'text', '')
  const [level, setLevel] = useKeptState<Announcement['level']>(kept, 'level', 'info')
  const [length, setLength] = useKeptState<Length>(kept, 'length', { amount: '1', unit: 'days' })
  const [scripts, setScripts] = useKeptState<Limit>(kept, 'scripts', null)
  const create = useCreate(() => kept.forget(onClose))
  const errors = useFormErrors(create.error)
  const lasting = lengthOf(length)
  const submit = () => {
    const isRight = errors.check({
      text: typed.trim() === '' ? t.textMissing : undefined,
      until: lasting === undefined ? text.users.noTime : undefined,
      scripts: scripts?.length === 0 ? text.variables.scriptsMissing : undefined,
    })
    const limits = { scripts, error_id: error?.id ?? null }
    if (isRight && lasting !== undefined) create.mutate({ text: typed, level, lasting, ...limits })
  }
  return (
    <FormDialog
      kept={kept}
      title={error ? t.toAffected : t.announce}
      submit={t.send}
      isPending={create.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <AreaField
        label={t.text}
        hint={t.textHint}
        error={errors.of('text')}
        value={typed}
        onChange={setTyped}
      />
      <SelectField
        label={t.level}
        value={level}
        options={LEVELS.map((each) => [each, t.levels[each]])}
        onChange={(event) => setLevel(event.target.value as Announcement['level'])}
      />
      <fieldset className="field">
        <legend>{t.lasts}</legend>
        <div className={userStyles.length}>
          <LengthField
            value={length}
            error={errors.of('until')}
            onChange={(changes) => setLength({ ...length, ...changes })}
          />
        </div>
      </fieldset>
      {error ? (
        <p>{t.shownTo(error.keys)}</p>
      ) : (
        <ForScripts chosen={scripts} error={errors.of('scripts')} onChange={setScripts} />
      )}
    </FormDialog>
  )
}

type ForScriptsProps = {
  readonly chosen: Limit
  readonly error: string | undefined
  readonly onChange: (chosen: Limit) => void
}

function ForScripts(given: ForScriptsProps) {
  const t = text.variables
  return (
    <LimitField
      legend={t.scripts}
      all={t.allScripts}
      some={t.someScripts}
      none={t.noScripts}
      names={useScriptNames(useProject().id)}
      {...given}
    />
  )
}

type Props = {
  readonly text: string
  readonly level: Announcement['level']
  /** Duration of the announcement, in milliseconds. */
  readonly lasting: number
  readonly scripts: Limit
  readonly error_id: string | null
}

function useCreate(onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  const { id } = useProject()
  return useChange(async ({ lasting, scripts, ...rest }: Props) => {
    const body = { ...rest, until: Date.now() + lasting, scripts: scripts && [...scripts] }
    await v1AnnouncementsCreate({ ...call, path: { project_id: id }, body })
    showToast({ title: text.announcements.sent })
    onClose()
  })
}

function Removal({ announcement, onClose }: { announcement: Announcement; onClose: () => void }) {
  const call = useCall()
  const { id } = useProject()
  const t = text.announcements
  return (
    <ConfirmDialog
      title={t.removeTitle}
      words={t.removeWords}
      submit={text.remove}
      onConfirm={() =>
        v1AnnouncementsRemove({ ...call, path: { project_id: id, announcement_id: announcement.id } })
      }
      onClose={onClose}
    />
  )
}
