/**
 * Changes all of a project's users. Shows the number of affected users first. Destructive changes require
 * typing the project's name.
 */
import {
  type V1ProjectUsersClearResponse,
  v1ProjectUsersClear,
  v1ProjectUsersCompensate,
  v1ProjectUsersExport,
  v1ProjectUsersPreview,
  v1ProjectUsersPurge,
  v1ProjectUsersResetAll,
} from '@scriptward/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Check } from '../../../components/fields/choice-group.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { useUndoable } from '../../../components/overlays/undo-change.ts'
import { saveText } from '../../../lib/save-text.ts'
import { text } from '../../../messages/text.ts'
import { type Calling, useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { lengthOf } from '../edit/expiry.ts'
import { LengthField } from '../edit/expiry-field.tsx'
import { useShownUsers } from '../queries.ts'
import styles from '../users.module.css'
import { OPTIONS } from './changes.ts'
import { Samples } from './samples.tsx'

export type ChangeOfAll = 'purge' | 'clear' | 'resetall' | 'compensate' | 'export'

type Options = typeof FIRST
const FIRST = { length: OPTIONS.length, isForExpired: false, type: 'json' as 'json' | 'text' }
const LOSES: ReadonlySet<ChangeOfAll> = new Set(['purge', 'clear', 'resetall'])

type Props = {
  readonly change: ChangeOfAll
  readonly onToast: (toast: Toast) => void
  readonly onClose: () => void
}

export function ChangeAll({ change, onToast, onClose }: Props) {
  const t = text.users.all[change]
  const project = useProject()
  const call = useCall()
  const shown = useShownUsers()
  const kept = useKept('all-change', change)
  const [options, setOptions] = useKeptState<Options>(kept, 'options', FIRST)
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string>()
  const touched = useTouched(change, options)
  const done = useUndoable(onToast)
  const apply = useMutation({
    mutationFn: async () => {
      const changed = await applyToAll(call, project, change, options)
      kept.forget()
      return changed
    },
    onSettled: () => shown.again(),
  })
  const count = touched.data?.count ?? 0
  const submit = () => {
    const error = validate(change, options, { typed, name: project.name })
    setWrong(error)
    if (error !== undefined) return
    apply.mutate(undefined, {
      onSuccess: (changed) => {
        done(t.done(changed?.count ?? count), changed?.change_id)
        onClose()
      },
    })
  }
  return (
    <FormDialog
      kept={kept}
      title={t.title}
      submit={t.submit}
      isDanger={LOSES.has(change)}
      isPending={apply.isPending || touched.data?.count === 0 || touched.isPending}
      error={apply.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t.words}</p>
      <AllOptions change={change} options={options} onChange={setOptions} error={wrong} />
      <div className={styles.verdict} role="status">
        {touched.isPending ? text.users.counting : <strong>{t.count(count)}</strong>}
        <ErrorMessage of={touched.error} />
        <Samples samples={touched.data?.samples ?? []} count={count} />
      </div>
      {LOSES.has(change) && (
        <Field
          label={text.typeName(project.name)}
          autoComplete="off"
          value={typed}
          error={wrong}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </FormDialog>
  )
}

type Answer = Pick<V1ProjectUsersClearResponse, 'count' | 'change_id' | 'samples'>

/** Counts the affected users with a dry run. For an export, only the number of users is needed. */
function useTouched(change: ChangeOfAll, options: Options) {
  const call = useCall()
  const { id } = useProject()
  const duration = lengthOf(options.length) ?? 0
  return useQuery({
    queryKey: ['touched', id, change, change === 'compensate' && [duration, options.isForExpired]],
    queryFn: async (): Promise<Answer> => {
      if (change !== 'export') return askAll(call, id, change, { ...options, dry_run: true })
      return (await v1ProjectUsersPreview({ ...call, path: { project_id: id }, body: { change } })).data
    },
    gcTime: 0,
  })
}

async function askAll(
  call: Calling,
  project_id: string,
  change: Exclude<ChangeOfAll, 'export'>,
  { length, isForExpired, dry_run }: Options & { readonly dry_run?: boolean },
): Promise<Answer> {
  const to = { ...call, path: { project_id }, body: dry_run === true ? { dry_run } : {} }
  if (change === 'purge') return (await v1ProjectUsersPurge(to)).data
  if (change === 'clear') return (await v1ProjectUsersClear(to)).data
  if (change === 'resetall') return (await v1ProjectUsersResetAll(to)).data
  const body = { ...to.body, duration: lengthOf(length) ?? 0, compensate_expired: isForExpired }
  return (await v1ProjectUsersCompensate({ ...to, body })).data
}

async function applyToAll(
  call: Calling,
  { id, name }: { readonly id: string; readonly name: string },
  change: ChangeOfAll,
  options: Options,
): Promise<Answer | undefined> {
  if (change !== 'export') return askAll(call, id, change, options)
  const { type } = options
  const { exported } = (await v1ProjectUsersExport({ ...call, path: { project_id: id }, body: { type } }))
    .data
  saveText(`${name}.users.${type === 'json' ? 'json' : 'txt'}`, exported)
  return undefined
}

function validate(
  change: ChangeOfAll,
  { length }: Options,
  { typed, name }: { readonly typed: string; readonly name: string },
): string | undefined {
  if (LOSES.has(change) && typed.trim() !== name.trim()) return text.settings.notTheName
  return change === 'compensate' && lengthOf(length) === undefined ? text.users.noLength : undefined
}

type OptionsProps = {
  readonly change: ChangeOfAll
  readonly options: Options
  readonly error: string | undefined
  readonly onChange: (options: Options) => void
}

function AllOptions({ change, options, error, onChange }: OptionsProps) {
  const t = text.users
  if (change === 'export')
    return (
      <SelectField
        label={t.exportType}
        value={options.type}
        options={[
          ['json', t.exportJson],
          ['text', t.exportText],
        ]}
        onChange={(event) => onChange({ ...options, type: event.target.value === 'text' ? 'text' : 'json' })}
      />
    )
  if (change !== 'compensate') return null
  return (
    <>
      <div className={styles.length}>
        <LengthField
          value={options.length}
          error={error}
          onChange={(changes) => onChange({ ...options, length: { ...options.length, ...changes } })}
        />
      </div>
      <Check
        label={t.alsoExpired}
        checked={options.isForExpired}
        onChange={(isForExpired) => onChange({ ...options, isForExpired })}
      />
    </>
  )
}
