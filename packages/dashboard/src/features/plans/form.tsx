/** Creates or edits a plan. The effect of a new duration on existing keys is shown before saving. */
import { v1PlansCreate, v1PlansEdit, v1PlansGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Controller, FormProvider, useForm, useFormContext } from 'react-hook-form'
import { Check } from '../../components/fields/choice-group.tsx'
import { DurationField } from '../../components/fields/duration-field.tsx'
import { FeaturesField } from '../../components/fields/features-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Plan } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { bodyOf, changesIn, clockIn, type Draft, draftOf, validate } from './draft.ts'
import { QuotaField } from './quota-field.tsx'
import { ScriptsField } from './scripts-field.tsx'

const t = text.plans
type Props = { readonly plan?: Plan; readonly onClose: () => void }
type ErrorOf = { readonly errorOf: (field: string) => string | undefined }

export function PlanForm({ plan, onClose }: Props) {
  // Initial values when the form was opened.
  const [first] = useState(plan)
  const now = useNow(plan)
  const form = useForm<Draft>({ defaultValues: draftOf(first) })
  const save = useSave(first, onClose)
  const errors = useFormErrors(save.error, { plan_name_taken: 'name' })
  const submit = () => {
    const draft = form.getValues()
    if (errors.check(validate(draft))) save.mutate(draft)
  }
  const isOther = now !== undefined && first !== undefined && !isSame(now, first)
  return (
    <FormDialog
      title={first ? t.editOf(first.name) : t.newPlan}
      submit={first ? t.save : t.create}
      isWide
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {isOther && !save.isPending && (
        <p className="notice warn" role="status">
          {t.changedMeanwhile}
        </p>
      )}
      <FormProvider {...form}>
        <Field
          label={t.name}
          hint={t.nameHint}
          dir="auto"
          autoComplete="off"
          error={errors.of('name')}
          {...form.register('name')}
        />
        <ClockFields errorOf={errors.of} />
        <Limits errorOf={errors.of} />
        <DeviceFields errorOf={errors.of} />
        <ScriptsField error={errors.of('scripts')} />
        <Features errorOf={errors.of} />
        <Resellable />
        {first && <Effect plan={now ?? first} />}
      </FormProvider>
    </FormDialog>
  )
}

function Resellable() {
  const { control } = useFormContext<Draft>()
  return (
    <Controller
      control={control}
      name="resellable"
      render={({ field: { value, onChange } }) => (
        <Check label={t.resellable} hint={t.resellableHint} checked={value} onChange={onChange} />
      )}
    />
  )
}

function ClockFields({ errorOf }: ErrorOf) {
  const { register, watch } = useFormContext<Draft>()
  const isEnding = watch('ends') === 'after'
  return (
    <>
      <div className="row top">
        <SelectField
          label={t.validity}
          options={[
            ['after', t.forTime],
            ['never', t.forever],
          ]}
          {...register('ends')}
        />
        {isEnding && (
          <DurationField
            label={t.duration}
            hint={t.durationHint}
            error={errorOf('clock')}
            amount={register('amount')}
            unit={register('unit')}
          />
        )}
      </div>
      {isEnding && (
        <div className="row top">
          <SelectField
            label={t.basis}
            options={(['first_use', 'creation'] as const).map((each) => [each, t.bases[each]])}
            {...register('basis')}
          />
          <DurationField
            label={t.grace}
            hint={t.graceHint}
            error={errorOf('grace')}
            amount={register('grace')}
            unit={register('graceUnit')}
          />
          <SelectField
            label={t.afterExpiry}
            hint={t.afterExpiryHint}
            options={(['deny', 'keep_version'] as const).map((each) => [each, t.afterExpiries[each]])}
            {...register('after_expiry')}
          />
        </div>
      )}
    </>
  )
}

function Limits({ errorOf }: ErrorOf) {
  const { register } = useFormContext<Draft>()
  return (
    <div className="row top">
      <Field
        label={t.maxInstances}
        hint={t.noLimit}
        inputMode="numeric"
        error={errorOf('max_instances')}
        {...register('max_instances')}
      />
      <Field
        label={t.maxExecutions}
        hint={t.noLimit}
        inputMode="numeric"
        error={errorOf('max_executions')}
        {...register('max_executions')}
      />
      <QuotaField error={errorOf('quota')} amount={register('quota')} period={register('period')} />
    </div>
  )
}

function DeviceFields({ errorOf }: ErrorOf) {
  const { register, watch } = useFormContext<Draft>()
  const words = text.devices
  return (
    <div className="row top">
      <Field
        label={words.maxDevices}
        hint={words.maxOfPlan}
        inputMode="numeric"
        error={errorOf('max_devices')}
        {...register('max_devices')}
      />
      <SelectField
        label={words.match}
        hint={words.matchHint}
        options={Object.entries(words.rules)}
        {...register('match')}
      />
      <Field
        label={words.maxResets}
        hint={words.maxResetsHint}
        inputMode="numeric"
        error={errorOf('resets')}
        {...register('resets')}
      />
      {watch('resets').trim() !== '' && (
        <Field
          label={words.maxResetsPeriod}
          hint={words.maxResetsPeriodHint}
          inputMode="decimal"
          error={errorOf('resetsDays')}
          {...register('resetsDays')}
        />
      )}
    </div>
  )
}

function Features({ errorOf }: ErrorOf) {
  const { watch, setValue } = useFormContext<Draft>()
  return (
    <FeaturesField
      legend={t.features}
      hint={t.featuresHint}
      kinds={['yes', 'number', 'text']}
      rows={watch('features')}
      errorOf={errorOf}
      onChange={(rows) => setValue('features', rows)}
    />
  )
}

/** The effect of a new duration on existing keys. */
function Effect({ plan: { clock, users } }: { plan: Plan }) {
  const { watch } = useFormContext<Draft>()
  const next = clockIn(watch())
  const isOther = next.duration !== clock.duration || next.basis !== clock.basis
  if (!isOther || users === 0) return null
  const begins = clock.basis === 'first_use' && next.basis === 'creation'
  return (
    <p className="notice warn" role="status">
      {next.duration === null ? t.takesEnds(users) : t.movesEnds(users)} {begins && t.beginsNow}
    </p>
  )
}

/** The current state of the plan while the form is open, with its number of users. */
function useNow(plan: Plan | undefined): Plan | undefined {
  const call = useCall()
  const query = useQuery({
    queryKey: ['plan', plan?.id],
    queryFn: async () => (await v1PlansGet({ ...call, path: { plan_id: plan?.id ?? '' } })).data.plan,
    enabled: plan !== undefined,
  })
  return query.data
}

function isSame(one: Plan, other: Plan): boolean {
  const own = ({ users: _, ...rest }: Plan) => JSON.stringify(rest)
  return own(one) === own(other)
}

function useSave(first: Plan | undefined, onClose: () => void) {
  const call = useCall()
  const { id } = useProject()
  const showToast = useToast()
  return useChange(async (draft: Draft) => {
    if (first) {
      const body = changesIn(draft, first)
      if (Object.keys(body).length > 0) await v1PlansEdit({ ...call, path: { plan_id: first.id }, body })
    } else await v1PlansCreate({ ...call, path: { project_id: id }, body: bodyOf(draft) })
    showToast({ title: first ? t.saved : t.created })
    onClose()
  })
}
