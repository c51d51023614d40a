/** Edits an account. Only changed fields are sent. */
import { adminCustomersEdit } from '@scriptward/sdk'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { showSaved, useKeptForm, useKeptState } from '../../components/fields/use-kept.ts'
import { useToast } from '../../components/overlays/toasts.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { PlanEndField, planEndOf, timeOf } from './plan-end-field.tsx'
import { type Customer, isEndless, type Tier } from './queries.ts'

type Draft = { email: string; tier: string; bonus: string; verified: boolean; admin: boolean }

const WHOLE = /^\d{1,9}$/

export function CustomerForm({ customer, tiers }: { customer: Customer; tiers: readonly Tier[] }) {
  const { form, end, save, submit, errors } = useCustomerForm(customer)
  const { register, formState } = form
  return (
    <Form kept={form.kept} onSubmit={submit} noValidate>
      <Field label={text.email} type="email" error={errors.of('email')} {...register('email')} />
      <div className="row top">
        <SelectField
          label={operatorsText.tier}
          options={tiers.map(({ id, name }) => [String(id), name])}
          error={errors.of('tier')}
          {...register('tier')}
        />
        <Field
          label={operatorsText.bonus}
          hint={operatorsText.bonusHint}
          inputMode="numeric"
          error={errors.of('bonus_obfuscations_left')}
          {...register('bonus')}
        />
      </div>
      <PlanEndField value={end.value} error={errors.of('plan_expires')} onChange={end.set} />
      <label className="check">
        <input type="checkbox" {...register('verified')} />
        <span>{operatorsText.verified}</span>
      </label>
      <label className="check">
        <input type="checkbox" {...register('admin')} />
        <span>
          {operatorsText.isOperator}
          <span className="hint">{operatorsText.isOperatorHint}</span>
        </span>
      </label>
      <ErrorMessage of={errors.rest} />
      <div className="bar">
        <button
          type="submit"
          className="main"
          disabled={save.isPending || !(formState.isDirty || end.isChanged)}
        >
          {text.save}
        </button>
      </div>
    </Form>
  )
}

function useCustomerForm(customer: Customer) {
  const call = useCall()
  const showToast = useToast()
  const before = draftOf(customer)
  const endBefore = planEndOf(customer.plan_expires, isEndless(customer))
  const form = useKeptForm<Draft>('account', {
    of: customer.id,
    values: before,
    resetOptions: { keepDirtyValues: true },
  })
  const dirty = form.formState.dirtyFields
  const [endDraft, setEnd] = useKeptState<typeof endBefore | undefined>(form.kept, 'end', undefined)
  const end = endDraft ?? endBefore
  const isEndChanged = JSON.stringify(end) !== JSON.stringify(endBefore)
  const save = useChange(async (draft: Draft) => {
    const body = {
      ...(dirty.email && { email: draft.email.trim() }),
      ...(dirty.tier && { tier: Number(draft.tier) }),
      ...(dirty.bonus && { bonus_obfuscations_left: Number(draft.bonus) }),
      ...(dirty.verified && { verified: draft.verified }),
      ...(dirty.admin && { admin: draft.admin }),
      ...(isEndChanged && { plan_expires: timeOf(end) ?? null }),
    }
    const { data } = await adminCustomersEdit({ ...call, path: { id: customer.id }, body })
    showSaved(form, draft, draftOf(data.customer))
    form.kept.forgetSent('end', end)
    setEnd(undefined)
    showToast({ title: operatorsText.changesSaved })
  })
  const errors = useFormErrors(save.error, { email_already_taken: 'email', unknown_tier: 'tier' })
  const submit = form.handleSubmit((draft) => {
    const found = {
      email: draft.email.trim() === '' ? operatorsText.emailMissing : undefined,
      bonus_obfuscations_left: WHOLE.test(draft.bonus.trim()) ? undefined : operatorsText.numberWrong,
      plan_expires: timeOf(end) === undefined ? operatorsText.dayMissing : undefined,
    }
    if (errors.check(found)) save.mutate(draft)
  })
  return { form, end: { value: end, set: setEnd, isChanged: isEndChanged }, save, submit, errors }
}

function draftOf({ email, tier, bonus_obfuscations_left, verified, admin }: Customer): Draft {
  return { email, tier: String(tier), bonus: String(bonus_obfuscations_left), verified, admin }
}
