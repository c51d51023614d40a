/** Replaces the account's API key; the new key is shown once. */
import { v1AccountResetKey, v1AccountTakeKey } from '@scriptward/sdk'
import { useEffect, useRef, useState } from 'react'
import { Secret } from '../../components/code/secret.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { OverlapField } from '../../components/fields/overlap-field.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useMe } from '../../lib/rights.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'

const AN_HOUR = 3_600_000

type NewKey = { readonly value: string; readonly oldKeyUntil: number | null }

/** `waits` means that a reset with the previous key created a new key, which has not been shown yet. */
export function KeyPanel({ waits }: { waits: boolean }) {
  const { role } = useMe()
  const [isOpen, setIsOpen] = useState(false)
  const [made, setMade] = useState<NewKey | null>(null)
  return (
    <section className="panel">
      <header>
        <h2>{text.keyTitle}</h2>
        <p className="hint">{text.keyIntro}</p>
      </header>
      {made && <MadeKey {...made} onDone={() => setMade(null)} key={made.value} />}
      {!made && waits && <WaitingKey onTaken={(value) => setMade({ value, oldKeyUntil: null })} />}
      {!made && (
        <div className="bar">
          <GuardedButton
            needs="account:write"
            reason={role === 'owner' ? undefined : text.ownerOnly}
            className="danger"
            onClick={() => setIsOpen(true)}
          >
            {text.replaceKey}
          </GuardedButton>
        </div>
      )}
      {isOpen && <ReplaceDialog onMade={setMade} onClose={() => setIsOpen(false)} />}
    </section>
  )
}

/**
 * The key is shown in the page instead of a dialog, because dialogs can be closed by accident and the key is
 * shown only once.
 */
function MadeKey({ value, oldKeyUntil, onDone }: NewKey & { onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="stack tight">
      <h3 ref={heading} tabIndex={-1}>
        {text.newKeyTitle}
      </h3>
      <Secret value={value} hint={text.newKeyHint} />
      <p className="notice warn">
        {oldKeyUntil === null ? text.oldKeyEnded : text.oldKeyUntil(exactly(oldKeyUntil))}
      </p>
      <div className="bar end">
        <button type="button" className="main" onClick={onDone}>
          {text.done}
        </button>
      </div>
    </div>
  )
}

function WaitingKey({ onTaken }: { onTaken: (value: string) => void }) {
  const call = useCall()
  const { role } = useMe()
  const take = useChange(async () => onTaken((await v1AccountTakeKey(call)).data.api_key))
  return (
    <div className="notice warn stack tight">
      <p>{text.keyWaits}</p>
      <div className="bar">
        <GuardedButton
          needs="account:write"
          reason={role === 'owner' ? undefined : text.ownerOnly}
          disabled={take.isPending}
          onClick={() => take.mutate(undefined)}
        >
          {text.takeKey}
        </GuardedButton>
        <ErrorMessage of={take.error} />
      </div>
    </div>
  )
}

function ReplaceDialog({ onMade, onClose }: { onMade: (made: NewKey) => void; onClose: () => void }) {
  const call = useCall()
  const [overlap, setOverlap] = useState(AN_HOUR)
  const replace = useChange(async () => {
    const { data } = await v1AccountResetKey({ ...call, body: { overlap_ms: overlap } })
    onClose()
    onMade({ value: data.api_key, oldKeyUntil: overlap === 0 ? null : Date.now() + overlap })
  })
  return (
    <FormDialog
      title={text.replaceTitle}
      submit={text.replace}
      isDanger
      isPending={replace.isPending}
      error={replace.error}
      onClose={onClose}
      onSubmit={() => replace.mutate(undefined)}
    >
      <p>{text.replaceText}</p>
      <OverlapField value={overlap} onChange={setOverlap} />
    </FormDialog>
  )
}
