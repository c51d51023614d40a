import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { canUsePasskeys, makePasskey } from '../../lib/passkeys.ts'
import { exactly, when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth, type Passkey } from '../../queries/auth.ts'

/**
 * Maximum length of a name. The name is validated before the passkey is created, because the browser keeps a
 * passkey even if its name is rejected.
 */
const MAX_NAME_LENGTH = 100

export function PasskeysPanel() {
  const call = useCall()
  const [isAdding, setIsAdding] = useState(false)
  const list = useQuery({ queryKey: ['passkeys'], queryFn: () => auth.passkeys(call) })
  return (
    <section className="panel">
      <header>
        <h2>{text.passkeysTitle}</h2>
        {list.data?.length === 0 && <p className="hint">{text.noPasskeys}</p>}
      </header>
      <QueryBoundary query={list}>
        {list.data && list.data.length > 0 && (
          <ul className="rows">
            {list.data.map((passkey) => (
              <Row key={passkey.id} passkey={passkey} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      <div className="bar">
        <GuardedButton
          needs={undefined}
          reason={canUsePasskeys() ? undefined : text.noPasskeySupport}
          onClick={() => setIsAdding(true)}
        >
          {text.addPasskey}
        </GuardedButton>
      </div>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
    </section>
  )
}

function Row({ passkey }: { passkey: Passkey }) {
  const [open, setOpen] = useState<'name' | 'removal' | null>(null)
  const close = () => setOpen(null)
  const { name, created_at, last_used_at } = passkey
  return (
    <li>
      <div className="main-text">
        <strong className="name">{name}</strong>
        <span className="facts">
          <span title={exactly(created_at)}>{text.added(when(created_at))}</span>
          {last_used_at === null ? (
            <span>{text.neverUsed}</span>
          ) : (
            <span title={exactly(last_used_at)}>{text.lastUsed(when(last_used_at))}</span>
          )}
        </span>
      </div>
      <div className="actions">
        <button type="button" aria-label={text.itsName(text.rename, name)} onClick={() => setOpen('name')}>
          {text.rename}
        </button>
        <button
          type="button"
          className="danger"
          aria-label={text.itsName(text.remove, name)}
          onClick={() => setOpen('removal')}
        >
          {text.remove}
        </button>
      </div>
      {open === 'name' && <RenameDialog passkey={passkey} onClose={close} />}
      {open === 'removal' && <RemoveDialog passkey={passkey} onClose={close} />}
    </li>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const kept = useKept('passkey')
  const [name, setName] = useKeptState(kept, 'name', '')
  const add = useChange(async () => {
    const made = await makePasskey(await auth.addPasskeyBegin(call))
    await auth.addPasskeyFinish(call, { ...made, name: name.trim() })
    kept.forget()
  })
  const errors = useFormErrors(add.error)
  const tooLong = name.trim().length > MAX_NAME_LENGTH ? text.tooLong(MAX_NAME_LENGTH) : undefined
  return (
    <FormDialog
      kept={kept}
      title={text.addPasskey}
      submit={text.continue}
      isPending={add.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => tooLong === undefined && add.mutate(undefined, { onSuccess: onClose })}
    >
      <NameField value={name} error={tooLong ?? errors.of('name')} onChange={setName} />
      <p className="hint">{text.passkeyNext}</p>
    </FormDialog>
  )
}

type Asked = { readonly passkey: Passkey; onClose(): void }

function RenameDialog({ passkey, onClose }: Asked) {
  const call = useCall()
  const kept = useKept('passkey-name', passkey.id)
  const [name, setName] = useKeptState(kept, 'name', passkey.name)
  const rename = useChange(async () => {
    await auth.renamePasskey(call, passkey.id, name.trim())
    kept.forget()
  })
  const errors = useFormErrors(rename.error)
  return (
    <FormDialog
      kept={kept}
      title={text.renamePasskeyTitle(passkey.name)}
      submit={text.rename}
      isPending={rename.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => rename.mutate(undefined, { onSuccess: onClose })}
    >
      <NameField value={name} error={errors.of('name')} onChange={setName} />
    </FormDialog>
  )
}

function RemoveDialog({ passkey, onClose }: Asked) {
  const call = useCall()
  return (
    <ConfirmDialog
      title={text.removePasskeyTitle(passkey.name)}
      words={text.removePasskeyText}
      submit={text.remove}
      onConfirm={() => auth.removePasskey(call, passkey.id)}
      onClose={onClose}
    />
  )
}

type Named = {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (name: string) => void
}

function NameField({ value, error, onChange }: Named) {
  return (
    <Field
      label={text.passkeyName}
      hint={text.passkeyNameHint}
      error={error}
      autoComplete="off"
      autoFocus
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
