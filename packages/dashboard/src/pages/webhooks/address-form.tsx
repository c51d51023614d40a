/** Adds or changes one address. What the service says of it stands beside the field. */
import { useState } from 'react'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useFormErrors } from '../../parts/form-errors.ts'
import { useSay } from '../../parts/toasts.tsx'
import { text } from '../../text/text.ts'
import { type Kind, memberOf, useSaveAddress } from './queries.ts'

const t = text.webhooks

type Given = {
  readonly kind: Kind
  /** As it is stored, also when that changes while the form is open. */
  readonly now: string
  readonly onClose: () => void
}

export function AddressForm({ kind, now, onClose }: Given) {
  const [first] = useState(now)
  const [typed, setTyped] = useState(now)
  const save = useSaveAddress(kind)
  const say = useSay()
  const member = memberOf(kind)
  const errors = useFormErrors(save.error)
  const submit = async () => {
    const address = typed.trim()
    if (!errors.check({ [member]: faultIn(address) })) return
    await save.mutateAsync(address).then(
      () => {
        say({ title: t.saved })
        onClose()
      },
      () => {},
    )
  }
  return (
    <FormDialog
      title={t.formTitle(t.kinds[kind])}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {now !== first && !save.isPending && (
        <p className="notice warn" role="status">
          {t.changedMeanwhile(now)}
        </p>
      )}
      <Field
        label={t.address}
        hint={t.addressHint}
        error={errors.of(member)}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hook"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}

/** What is wrong with an address before the service is asked. */
export function faultIn(address: string): string | undefined {
  if (address === '') return t.addressMissing
  return URL.canParse(address) ? undefined : t.addressNoUrl
}
