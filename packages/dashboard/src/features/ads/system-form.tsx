/** Creates or edits an ad system. */
import { isServiceError, v1AdSystemsCreate, v1AdSystemsEdit, v1ProjectsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UseFormRegister } from 'react-hook-form'
import { DurationField } from '../../components/fields/duration-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKeptForm } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { lengthIn, parted, UNIT_MS, type Unit } from '../../lib/durations.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { AdSystem } from './queries.ts'

const MAX_NAME_LENGTH = 100
const MAX_KEYS = 100
const NEW = {
  name: '',
  key_duration: UNIT_MS.day,
  max_duration: 7 * UNIT_MS.day,
  max_keys: 1,
  allow_extending: true,
}

type Draft = {
  name: string
  keyAmount: string
  keyUnit: Unit
  maxAmount: string
  maxUnit: Unit
  maxKeys: string
  allowExtending: boolean
  project: string
}
type Props = {
  readonly system?: AdSystem
  readonly onClose: () => void
  readonly onMade?: (id: string) => void
}
type Registering = {
  readonly register: UseFormRegister<Draft>
  readonly errorOf: (field: string) => string | undefined
}

export function SystemForm(given: Props) {
  const { system, onClose } = given
  const { id } = useProject()
  // Initial values when the form was opened.
  const [first] = useState(system)
  const { register, getValues, kept } = useKeptForm<Draft>('ad-system', {
    of: first?.id,
    defaultValues: draftOf(first ?? NEW, first?.project_id ?? id),
  })
  const save = useSave({ ...given, onClose: () => kept.forget(onClose) })
  const errors = useFormErrors(save.error)
  const isTooShort = isServiceError(save.error, 'invalid_durations')
  const errorOf = (field: string) =>
    errors.of(field) ?? (isTooShort && field === 'max_duration' ? t.tooShort : undefined)
  const submit = () => {
    const draft = getValues()
    if (errors.check(validate(draft))) save.mutate(draft)
  }
  return (
    <FormDialog
      kept={kept}
      title={system ? t.editOf(system.name) : t.newSystem}
      submit={system ? t.save : t.create}
      isPending={save.isPending}
      error={isTooShort ? null : errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {system && first && !isSame(system, first) && !save.isPending && (
        <p className="notice warn" role="status">
          {t.changedMeanwhile}
        </p>
      )}
      <Field
        label={t.name}
        hint={t.nameHint}
        error={errorOf('name')}
        autoComplete="off"
        {...register('name')}
      />
      <Durations register={register} errorOf={errorOf} />
      <Field label={t.maxKeys} inputMode="numeric" error={errorOf('max_keys')} {...register('maxKeys')} />
      <label className="check">
        <input type="checkbox" {...register('allowExtending')} />
        <span>
          {t.allowExtending}
          <span className="hint">{t.allowExtendingHint}</span>
        </span>
      </label>
      {system && <ProjectField register={register} errorOf={errorOf} />}
    </FormDialog>
  )
}

function Durations({ register, errorOf }: Registering) {
  return (
    <div className="row top">
      <DurationField
        label={t.keyDuration}
        hint={t.keyDurationHint}
        error={errorOf('key_duration')}
        amount={register('keyAmount')}
        unit={register('keyUnit')}
      />
      <DurationField
        label={t.maxDuration}
        hint={t.maxDurationHint}
        error={errorOf('max_duration')}
        amount={register('maxAmount')}
        unit={register('maxUnit')}
      />
    </div>
  )
}

function ProjectField({ register, errorOf }: Registering) {
  const call = useCall()
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: async () => (await v1ProjectsList(call)).data.projects,
  })
  const { id, name } = useProject()
  const others = (projects.data ?? []).filter((each) => each.id !== id)
  return (
    <SelectField
      label={t.project}
      hint={t.projectHint}
      error={errorOf('project_id')}
      options={[[id, name], ...others.map((each) => [each.id, each.name] as const)]}
      {...register('project')}
    />
  )
}

type Members = Pick<AdSystem, 'name' | 'key_duration' | 'max_duration' | 'max_keys' | 'allow_extending'>

function draftOf(system: Members, project: string): Draft {
  const key = parted(system.key_duration)
  const most = parted(system.max_duration)
  return {
    name: system.name,
    keyAmount: String(key.amount),
    keyUnit: key.unit,
    maxAmount: String(most.amount),
    maxUnit: most.unit,
    maxKeys: String(system.max_keys),
    allowExtending: system.allow_extending,
    project,
  }
}

function membersIn(draft: Draft): Members {
  return {
    name: draft.name.trim(),
    key_duration: lengthIn(draft.keyAmount, draft.keyUnit) ?? 0,
    max_duration: lengthIn(draft.maxAmount, draft.maxUnit) ?? 0,
    max_keys: Number(draft.maxKeys),
    allow_extending: draft.allowExtending,
  }
}

function isSame(a: AdSystem, b: AdSystem): boolean {
  const members = [
    'name',
    'key_duration',
    'max_duration',
    'max_keys',
    'allow_extending',
    'project_id',
  ] as const
  return members.every((member) => a[member] === b[member])
}

function useSave({ system, onClose, onMade }: Props) {
  const call = useCall()
  const { id } = useProject()
  const showToast = useToast()
  return useChange(async (draft: Draft) => {
    const members = membersIn(draft)
    if (system) {
      const moved = draft.project === system.project_id ? {} : { project_id: draft.project }
      await v1AdSystemsEdit({ ...call, path: { system_id: system.id }, body: { ...members, ...moved } })
      showToast({ title: t.saved })
    } else {
      const { data } = await v1AdSystemsCreate({ ...call, body: { ...members, project_id: id } })
      onMade?.(data.system_id)
    }
    onClose()
  })
}

const isWhole = (typed: string) => /^\s*\d{1,9}\s*$/.test(typed) && Number(typed) >= 1
const isAmount = (typed: string) => lengthIn(typed, 'minute') !== undefined

function validate(draft: Draft) {
  const { key_duration, max_duration, name } = membersIn(draft)
  const isName = name !== '' && [...name].length <= MAX_NAME_LENGTH
  const areAmounts = isAmount(draft.keyAmount) && isAmount(draft.maxAmount)
  const tooShort = areAmounts && max_duration < key_duration ? t.tooShort : undefined
  return {
    name: isName ? undefined : t.nameMissing,
    key_duration: isAmount(draft.keyAmount) ? undefined : t.numberMissing,
    max_duration: isAmount(draft.maxAmount) ? tooShort : t.numberMissing,
    max_keys: isWhole(draft.maxKeys) && Number(draft.maxKeys) <= MAX_KEYS ? undefined : t.maxKeysWrong,
  }
}
