/** Changes of all users of a project: how many they touch is told before, and those that lose something want the name typed. */
import {
  v1ProjectUsersClear,
  v1ProjectUsersCompensate,
  v1ProjectUsersExport,
  v1ProjectUsersPreview,
  v1ProjectUsersPurge,
  v1ProjectUsersResetAll,
} from '@scriptward/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Calling, useCall } from '../../api.ts'
import { Check } from '../../parts/choice-group.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { useProject } from '../../projects.ts'
import { saveText } from '../../save-text.ts'
import { text } from '../../text/text.ts'
import type { Said } from './change-dialog.tsx'
import { OPTIONS } from './changes.ts'
import { lengthOf } from './expiry.ts'
import { LengthField } from './expiry-field.tsx'
import { useShownUsers } from './lists.ts'
import styles from './users.module.css'

export type ChangeOfAll = 'purge' | 'clear' | 'resetall' | 'compensate' | 'export'

type Options = typeof FIRST
const FIRST = { length: OPTIONS.length, isForExpired: false, type: 'json' as 'json' | 'text' }
const LOSES: ReadonlySet<ChangeOfAll> = new Set(['purge', 'clear', 'resetall'])

type Given = {
  readonly change: ChangeOfAll
  readonly onSaid: (said: Said) => void
  readonly onClose: () => void
}

export function ChangeAll({ change, onSaid, onClose }: Given) {
  const t = text.users.all[change]
  const project = useProject()
  const call = useCall()
  const shown = useShownUsers()
  const [options, setOptions] = useState<Options>(FIRST)
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string>()
  const touched = useTouched(change, options)
  const apply = useMutation({
    mutationFn: () => applyToAll(call, project, change, options),
    onSettled: () => shown.again(),
  })
  const submit = () => {
    const error = wrongIn(change, options, { typed, name: project.name })
    setWrong(error)
    if (error !== undefined) return
    apply.mutate(undefined, {
      onSuccess: () => {
        onSaid({ title: t.done(touched.data ?? 0) })
        onClose()
      },
    })
  }
  return (
    <FormDialog
      title={t.title}
      submit={t.submit}
      isDanger={LOSES.has(change)}
      isPending={apply.isPending || touched.data === 0 || touched.isPending}
      error={apply.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t.words}</p>
      <AllOptions change={change} options={options} onChange={setOptions} error={wrong} />
      <div className={styles.verdict} role="status">
        {touched.isPending ? text.users.counting : <strong>{t.count(touched.data ?? 0)}</strong>}
        <Complaint of={touched.error} />
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

function useTouched(change: ChangeOfAll, { isForExpired }: Options) {
  const call = useCall()
  const { id } = useProject()
  const body = { change, ...(change === 'compensate' && { compensate_expired: isForExpired }) }
  return useQuery({
    queryKey: ['touched', id, body],
    queryFn: async () =>
      (await v1ProjectUsersPreview({ ...call, path: { project_id: id }, body })).data.count,
    gcTime: 0,
  })
}

async function applyToAll(
  call: Calling,
  { id, name }: { readonly id: string; readonly name: string },
  change: ChangeOfAll,
  { length, isForExpired, type }: Options,
): Promise<void> {
  const to = { ...call, path: { project_id: id } }
  if (change === 'purge') await v1ProjectUsersPurge(to)
  if (change === 'clear') await v1ProjectUsersClear(to)
  if (change === 'resetall') await v1ProjectUsersResetAll(to)
  if (change === 'compensate') {
    const body = { duration: lengthOf(length) ?? 0, compensate_expired: isForExpired }
    await v1ProjectUsersCompensate({ ...to, body })
  }
  if (change !== 'export') return
  const { exported } = (await v1ProjectUsersExport({ ...to, body: { type } })).data
  saveText(`${name}.users.${type === 'json' ? 'json' : 'txt'}`, exported)
}

function wrongIn(
  change: ChangeOfAll,
  { length }: Options,
  { typed, name }: { readonly typed: string; readonly name: string },
): string | undefined {
  if (LOSES.has(change) && typed.trim() !== name.trim()) return text.settings.notTheName
  return change === 'compensate' && lengthOf(length) === undefined ? text.users.noLength : undefined
}

type OptionsGiven = {
  readonly change: ChangeOfAll
  readonly options: Options
  readonly error: string | undefined
  readonly onChange: (options: Options) => void
}

function AllOptions({ change, options, error, onChange }: OptionsGiven) {
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
          onChange={(changes) => onChange({ ...options, length: { ...options.length, ...changes } })}
        />
      </div>
      {error !== undefined && (
        <p className="complaint" role="alert">
          {error}
        </p>
      )}
      <Check
        label={t.alsoExpired}
        checked={options.isForExpired}
        onChange={(isForExpired) => onChange({ ...options, isForExpired })}
      />
    </>
  )
}
