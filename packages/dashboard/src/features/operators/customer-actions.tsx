/** Actions for an account: pause, key reset and removal, each with a confirmation. */
import {
  adminCustomersBlacklist,
  adminCustomersRemove,
  adminCustomersResetKey,
  adminCustomersUnblacklist,
} from '@scriptward/sdk'
import { useState } from 'react'
import { SecretDialog } from '../../components/code/secret.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Customer } from './queries.ts'

type Open = 'blacklist' | 'reset' | 'remove'
type Props = { readonly customer: Customer; readonly onRemoved: () => void }

export function CustomerActions({ customer, onRemoved }: Props) {
  const call = useCall()
  const showToast = useToast()
  const [open, setOpen] = useState<Open>()
  const [key, setKey] = useState<string>()
  const { id, email } = customer
  const lift = useChange(async () => {
    await adminCustomersUnblacklist({ ...call, path: { id } })
    showToast({ title: operatorsText.lifted(email) })
  })
  const close = () => setOpen(undefined)
  return (
    <>
      <div className="bar">
        {customer.blacklisted ? (
          <button type="button" onClick={() => lift.mutate(undefined)} disabled={lift.isPending}>
            {operatorsText.unblacklist}
          </button>
        ) : (
          <button type="button" className="danger" onClick={() => setOpen('blacklist')}>
            {operatorsText.blacklist}
          </button>
        )}
        <button type="button" className="danger" onClick={() => setOpen('reset')}>
          {operatorsText.resetKey}
        </button>
        <button type="button" className="danger" onClick={() => setOpen('remove')}>
          {operatorsText.removeCustomer}
        </button>
      </div>
      <ErrorMessage of={lift.error} />
      {open === 'blacklist' && <BlacklistDialog customer={customer} onClose={close} />}
      {open === 'reset' && (
        <ConfirmDialog
          title={operatorsText.resetKeyTitle(email)}
          words={operatorsText.resetKeyText}
          submit={operatorsText.resetKey}
          onConfirm={async () =>
            setKey((await adminCustomersResetKey({ ...call, path: { id } })).data.api_key)
          }
          onClose={close}
        />
      )}
      {open === 'remove' && <RemoveDialog customer={customer} onRemoved={onRemoved} onClose={close} />}
      {key !== undefined && (
        <SecretDialog
          title={operatorsText.newKeyOf(email)}
          value={key}
          hint={operatorsText.keyOnce}
          onClose={() => setKey(undefined)}
        />
      )}
    </>
  )
}

type DialogProps = { readonly customer: Customer; readonly onClose: () => void }

function BlacklistDialog({ customer: { id, email }, onClose }: DialogProps) {
  const call = useCall()
  const showToast = useToast()
  const kept = useKept('account-block', id)
  const [reason, setReason] = useKeptState(kept, 'reason', '')
  const blacklist = useChange(async () => {
    await adminCustomersBlacklist({ ...call, path: { id }, body: { reason: reason.trim() || null } })
    kept.forget(onClose)
    showToast({ title: operatorsText.wasBlacklisted(email) })
  })
  const errors = useFormErrors(blacklist.error)
  return (
    <FormDialog
      kept={kept}
      title={operatorsText.blacklistTitle(email)}
      submit={operatorsText.blacklist}
      isDanger
      isPending={blacklist.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => blacklist.mutate(undefined)}
    >
      <p>{operatorsText.blacklistText}</p>
      <Field
        label={operatorsText.reason}
        hint={operatorsText.reasonHint}
        error={errors.of('reason')}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}

function RemoveDialog({ customer, onRemoved, onClose }: DialogProps & { onRemoved: () => void }) {
  const { id, email } = customer
  const call = useCall()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const remove = useChange(async () => {
    await adminCustomersRemove({ ...call, path: { id } })
    onRemoved()
  })
  const submit = () => {
    setIsWrong(typed.trim() !== email)
    if (typed.trim() === email) remove.mutate(undefined)
  }
  return (
    <FormDialog
      title={operatorsText.removeCustomerTitle(email)}
      submit={operatorsText.removeCustomer}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{operatorsText.removeCustomerText}</p>
      <Field
        label={text.typeName(email)}
        autoComplete="off"
        spellCheck={false}
        error={isWrong ? operatorsText.notTheEmail : undefined}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
