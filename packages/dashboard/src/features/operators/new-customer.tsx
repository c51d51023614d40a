/** Creates an account. Its API key is shown once, in a dialog that closes only with its button. */
import { adminCustomersCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { SecretDialog } from '../../components/code/secret.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
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
      title={text.operators.customerMade(made.email)}
      value={made.key}
      hint={text.operators.keyOnce}
      onClose={onClose}
    >
      <p className="hint">
        {text.operators.createHint} <code>{text.operators.setUpCommand(made.id)}</code>.
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
  const [email, setEmail] = useState('')
  const [tier, setTier] = useState(String(tiers[0]?.id ?? ''))
  const [end, setEnd] = useState<PlanEndDraft>({ isEndless: true, day: '' })
  const create = useChange(async () => {
    const body = {
      email: email.trim(),
      ...(tier && { tier: Number(tier) }),
      plan_expires: timeOf(end) ?? null,
    }
    const { customer, api_key } = (await adminCustomersCreate({ ...call, body })).data
    onMade({ id: customer.id, email: customer.email, key: api_key })
  })
  const errors = useFormErrors(create.error, { email_already_taken: 'email', unknown_tier: 'tier' })
  const submit = () => {
    const found = {
      email: email.trim() === '' ? text.operators.emailMissing : undefined,
      plan_expires: timeOf(end) === undefined ? text.operators.dayMissing : undefined,
    }
    if (errors.check(found)) create.mutate(undefined)
  }
  return (
    <FormDialog
      title={text.operators.newCustomer}
      submit={text.operators.createCustomer}
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
        label={text.operators.tier}
        options={tiers.map(({ id, name }) => [String(id), name])}
        error={errors.of('tier')}
        value={tier}
        onChange={(event) => setTier(event.target.value)}
      />
      <PlanEndField value={end} error={errors.of('plan_expires')} onChange={setEnd} />
    </FormDialog>
  )
}
