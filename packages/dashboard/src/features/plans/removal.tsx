/** Confirms removing a plan, and chooses the plan that its users move to. */
import { v1PlansRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Plan } from '../../queries/plans.ts'

const t = text.plans
type Props = { readonly plan: Plan; readonly others: readonly Plan[]; readonly onClose: () => void }

export function PlanRemoval({ plan, others, onClose }: Props) {
  const [next, setNext] = useState('')
  const isFollowed = plan.users > 0
  const remove = useRemove(plan, onClose)
  const errors = useFormErrors(remove.error, { plan_in_use: 'move_to' })
  const submit = () => {
    const missing = isFollowed && next === '' ? t.moveMissing : undefined
    if (errors.check({ move_to: missing })) remove.mutate(isFollowed ? next : undefined)
  }
  return (
    <FormDialog
      title={t.removeTitle(plan.name)}
      submit={text.remove}
      isDanger
      isPending={remove.isPending || (isFollowed && others.length === 0)}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {!isFollowed && <p>{t.removeWords}</p>}
      {isFollowed && others.length === 0 && <p>{t.noOther(plan.users)}</p>}
      {isFollowed && others.length > 0 && (
        <SelectField
          label={t.moveTo(plan.users)}
          hint={t.moveHint}
          error={errors.of('move_to')}
          options={[['', t.choose], ...others.map(({ id, name }) => [id, name] as const)]}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
      )}
    </FormDialog>
  )
}

function useRemove({ id }: Plan, onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async (move_to: string | undefined) => {
    const body = move_to === undefined ? {} : { move_to }
    await v1PlansRemove({ ...call, path: { plan_id: id }, body })
    showToast({ title: t.removed })
    onClose()
  })
}
