/** Adds or edits one endpoint. Shows API errors next to the field. */
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useUnkeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { type Kind, memberOf, useSaveAddress } from './queries.ts'

const t = webhooksText

type Props = {
  readonly kind: Kind
  /** The stored URL. It can change while the form is open. */
  readonly now: string
  readonly onClose: () => void
}

export function AddressForm({ kind, now, onClose }: Props) {
  const [first] = useState(now)
  const kept = useKept('webhook-url', kind)
  // The URL isn't kept, because it is a secret: Discord URLs contain a token that lets anyone post.
  const [typed, setTyped] = useUnkeptState(kept, 'address', first)
  const save = useSaveAddress(kind)
  const showToast = useToast()
  const member = memberOf(kind)
  const errors = useFormErrors(save.error)
  const submit = async () => {
    const address = typed.trim()
    if (!errors.check({ [member]: addressError(address) })) return
    await save.mutateAsync(address).then(
      () => {
        showToast({ title: t.saved })
        kept.forget(onClose)
      },
      () => {},
    )
  }
  return (
    <FormDialog
      kept={kept}
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

/** Validates a URL before it is sent. */
export function addressError(address: string): string | undefined {
  if (address === '') return t.addressMissing
  return URL.canParse(address) ? undefined : t.addressNoUrl
}
