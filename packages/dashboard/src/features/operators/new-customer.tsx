/** Creates an account. Its API key is shown once, in a dialog that closes only with its button. */
import { adminCustomersCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { SecretDialog } from '../../components/code/secret.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type PlanEndDraft, PlanEndField, timeOf } from './plan-end-field.tsx'
import type { Tier } from './queries.ts'

type Made = { readonly id: string; readonly email: string; readonly key: string }

export function NewCustomer({ tiers, onClose }: { tiers: readonly Tier[]; onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  return made === undefined ? (
    <Form tiers={tiers} onMade={setMade} onClose={onClose} />
  ) : (
    <SecretDialog
      title={operatorsText.customerMade(made.email)}
      value={made.key}
      hint={operatorsText.keyOnce}
      onClose={onClose}
    >
      <p className="hint">
        {operatorsText.createHint} <code>{operatorsText.setUpCommand(made.id)}</code>.
      </p>
    </SecretDialog>
  )
}

type FormProps = {
  readonly tiers: readonly Tier[]
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}

function Form({ tiers, onMade, onClose }: FormProps) {
  const call = useCall()
  const kept = useKept('new-account')
  const [email, setEmail] = useKeptState(kept, 'email', '')
  const [tier, setTier] = useKeptState(kept, 'tier', String(tiers[0]?.id ?? ''))
  const [end, setEnd] = useKeptState<PlanEndDraft>(kept, 'end', { isEndless: true, day: '' })
  const create = useChange(async () => {
    const body = {
      email: email.trim(),
      ...(tier && { tier: Number(tier) }),
      plan_expires: timeOf(end) ?? null,
    }
    const { customer, api_key } = (await adminCustomersCreate({ ...call, body })).data
    kept.forget()
    onMade({ id: customer.id, email: customer.email, key: api_key })
  })
  const errors = useFormErrors(create.error, { email_already_taken: 'email', unknown_tier: 'tier' })
  const submit = () => {
    const found = {
      email: email.trim() === '' ? operatorsText.emailMissing : undefined,
      plan_expires: timeOf(end) === undefined ? operatorsText.dayMissing : undefined,
    }
    if (errors.check(found)) create.mutate(undefined)
  }
  return (
    <FormDialog
      kept={kept}
      title={operatorsText.newCustomer}
      submit={operatorsText.createCustomer}
      isPending={create.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={text.email}
        type="email"
        autoComplete="off"
        autoFocus
        error={errors.of('email')}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={operatorsText.tier}
        options={tiers.map(({ id, name }) => [String(id), name])}
        error={errors.of('tier')}
        value={tier}
        onChange={(event) => setTier(event.target.value)}
      />
      <PlanEndField value={end} error={errors.of('plan_expires')} onChange={setEnd} />
    </FormDialog>
  )
}
