/** Creates or edits a plan. The effect of a new duration on existing keys is shown before saving. */
import { v1PlansCreate, v1PlansEdit, v1PlansGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider, useFormContext } from 'react-hook-form'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKeptForm } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Plan } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { bodyOf, changesIn, clockIn, type Draft, draftOf, validate } from './draft.ts'
import { PlanGroups } from './groups.tsx'
import { PlanSummary } from './summary.tsx'

const t = text.plans
type Props = { readonly plan?: Plan; readonly onClose: () => void }

export function PlanForm({ plan, onClose }: Props) {
  // Initial values when the form was opened.
  const [first] = useState(plan)
  const now = useNow(plan)
  const form = useKeptForm<Draft>('plan', { of: first?.id, defaultValues: draftOf(first) })
  const save = useSave(first, () => form.kept.forget(onClose))
  const errors = useFormErrors(save.error, { plan_name_taken: 'name' })
  const submit = () => {
    const draft = form.getValues()
    if (errors.check(validate(draft))) save.mutate(draft)
  }
  const isOther = now !== undefined && first !== undefined && !isSame(now, first)
  return (
    <FormDialog
      kept={form.kept}
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
        <PlanSummary />
        <Field
          label={t.name}
          hint={t.nameHint}
          dir="auto"
          autoComplete="off"
          error={errors.of('name')}
          {...form.register('name')}
        />
        <PlanGroups errorOf={errors.of} />
        {first && <Effect plan={now ?? first} />}
      </FormProvider>
    </FormDialog>
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

/** The plan's current state while the form is open, with its number of users. */
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
