/** Passkeys of the person: add, rename, remove. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auth, type Passkey } from '../access-api.ts'
import { useCall, useChange } from '../api.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { canUsePasskeys, makePasskey } from '../passkeys.ts'
import { text } from '../text.ts'
import { when } from '../when.ts'
import { Waiting } from './trouble.tsx'

export function Passkeys() {
  const call = useCall()
  const [isAdding, setIsAdding] = useState(false)
  const list = useQuery({ queryKey: ['passkeys'], queryFn: () => auth.passkeys(call) })
  return (
    <section className="panel">
      <header>
        <h2>{text.passkeysTitle}</h2>
        {list.data?.length === 0 && <p className="hint">{text.noPasskeys}</p>}
      </header>
      <Waiting asked={list}>
        {(list.data?.length ?? 0) > 0 && (
          <ul className="rows">
            {list.data?.map((each) => (
              <PasskeyRow key={each.id} passkey={each} />
            ))}
          </ul>
        )}
      </Waiting>
      {canUsePasskeys() ? (
        <div className="bar">
          <button type="button" onClick={() => setIsAdding(true)}>
            {text.addPasskey}
          </button>
        </div>
      ) : (
        <p className="hint">{text.noPasskeySupport}</p>
      )}
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
    </section>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const add = useChange(async (name: string) => {
    const made = await makePasskey(await auth.addPasskeyBegin(call))
    return auth.addPasskeyFinish(call, { ...made, name })
  })
  return <NameDialog title={text.addPasskey} first="" change={add} onClose={onClose} />
}

type Named = {
  readonly title: string
  readonly first: string
  readonly change: ReturnType<typeof useChange<string, unknown>>
  readonly onClose: () => void
}

function NameDialog({ title, first, change, onClose }: Named) {
  const [name, setName] = useState(first)
  return (
    <FormDialog
      title={title}
      submit={text.continue}
      isPending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => change.mutate(name.trim(), { onSuccess: onClose })}
    >
      <Field
        label={text.passkeyName}
        hint={text.passkeyNameHint}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const call = useCall()
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const rename = useChange((name: string) => auth.renamePasskey(call, passkey.id, name))
  const remove = useChange(() => auth.removePasskey(call, passkey.id))
  const close = () => setOpen(null)
  const used = passkey.last_used_at
  return (
    <li>
      <div className="main-text">
        <strong>{passkey.name}</strong>
        <span className="facts">
          <span>{text.added(when(passkey.created_at))}</span>
          <span>{used === null ? text.neverUsed : text.lastUsed(when(used))}</span>
        </span>
      </div>
      <div className="actions">
        <button type="button" onClick={() => setOpen('rename')}>
          {text.rename}
        </button>
        <button type="button" className="danger" onClick={() => setOpen('remove')}>
          {text.remove}
        </button>
      </div>
      {open === 'rename' && (
        <NameDialog title={text.rename} first={passkey.name} change={rename} onClose={close} />
      )}
      {open === 'remove' && (
        <FormDialog
          title={text.removePasskeyTitle(passkey.name)}
          submit={text.remove}
          isDanger
          isPending={remove.isPending}
          error={remove.error}
          onClose={close}
          onSubmit={() => remove.mutate(undefined, { onSuccess: close })}
        >
          <p>{text.removePasskeyText}</p>
        </FormDialog>
      )}
    </li>
  )
}
