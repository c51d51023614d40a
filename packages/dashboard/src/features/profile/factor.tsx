/** Two-factor authentication with an authenticator app and backup codes. */
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useKept, useUnkeptState } from '../../components/fields/use-kept.ts'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { text } from '../../messages/text.ts'
import type { Person } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { CodesPanel } from './codes.tsx'

const FEW_CODES = 3

/** New codes are shown in the page, because dialogs can be closed by accident and the codes are shown only once. */
export function FactorPanel({ person }: { person: Person }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const forget = () => setCodes(null)
  return (
    <>
      <section className="panel">
        <header>
          <h2 className="bar">
            {text.factorTitle}
            <span className={person.has_second_factor ? 'badge on' : 'badge'}>
              {person.has_second_factor ? text.on : text.off}
            </span>
          </h2>
          <p className="hint">{person.has_second_factor ? text.factorOn : text.factorOff}</p>
        </header>
        {person.has_second_factor ? (
          <RecoveryCodes left={person.recovery_codes_left} onCodes={setCodes} onRemoved={forget} />
        ) : (
          <Add onCodes={setCodes} />
        )}
      </section>
      {codes !== null && (
        <CodesPanel codes={codes} email={person.email} onKept={forget} key={codes.join(' ')} />
      )}
    </>
  )
}

type Codes = { readonly onCodes: (codes: readonly string[]) => void }

function Add({ onCodes }: Codes) {
  const call = useCall()
  const [begun, setBegun] = useState<{ secret: string; uri: string } | null>(null)
  const begin = useChange(() => auth.totpBegin(call))
  const open = () => begin.isPending || begin.mutate(undefined, { onSuccess: setBegun })
  return (
    <div className="bar">
      <button type="button" className="main" onClick={open}>
        {text.addFactor}
      </button>
      <ErrorMessage of={begin.error} />
      {begun && <ScanDialog {...begun} onClose={() => setBegun(null)} onCodes={onCodes} />}
    </div>
  )
}

type Scanned = Codes & { readonly secret: string; readonly uri: string; onClose(): void }

function ScanDialog({ secret, uri, onClose, onCodes }: Scanned) {
  const call = useCall()
  const kept = useKept('authenticator')
  const [code, setCode] = useUnkeptState(kept, 'code', '')
  // This is not in `onSuccess`, because this dialog may have been closed and the codes are returned only
  // once.
  const finish = useChange(async () => {
    const { recovery_codes } = await auth.totpFinish(call, code.replaceAll(' ', ''))
    kept.forget(onClose)
    onCodes(recovery_codes)
  })
  return (
    <FormDialog
      kept={kept}
      title={text.scanTitle}
      submit={text.turnOn}
      isPending={finish.isPending}
      error={finish.error}
      onClose={onClose}
      onSubmit={() => finish.mutate(undefined)}
    >
      <p>{text.scan}</p>
      <img className="qr" alt={text.qrLabel} src={pictureOf(uri)} />
      <div className="stack tight">
        <p className="hint">{text.orType}</p>
        <div className="secret">
          <code>{inGroups(secret)}</code>
          <CopyButton value={secret} />
        </div>
      </div>
      <Field
        label={text.thenCode}
        className="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </FormDialog>
  )
}

function pictureOf(uri: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(uri))}`
}

/** Groups the secret to make typing easier; apps ignore spaces. */
function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ')
}

type RecoveryCodesProps = Codes & { readonly left: number; onRemoved(): void }

function RecoveryCodes({ left, onCodes, onRemoved }: RecoveryCodesProps) {
  const [open, setOpen] = useState<'codes' | 'removal' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <p className={left < FEW_CODES ? 'notice warn' : undefined}>
        {text.codesLeft(left)} {left < FEW_CODES && text.fewCodes}
      </p>
      <div className="bar">
        <button type="button" onClick={() => setOpen('codes')}>
          {text.newCodes}
        </button>
        <button type="button" className="danger" onClick={() => setOpen('removal')}>
          {text.removeFactor}
        </button>
      </div>
      {open === 'codes' && <NewCodesDialog onClose={close} onCodes={onCodes} />}
      {open === 'removal' && <RemoveDialog onClose={close} onRemoved={onRemoved} />}
    </>
  )
}

function NewCodesDialog({ onClose, onCodes }: Codes & { onClose: () => void }) {
  const call = useCall()
  const make = useChange(async () => {
    const { recovery_codes } = await auth.newRecoveryCodes(call)
    onClose()
    onCodes(recovery_codes)
  })
  return (
    <FormDialog
      title={text.newCodesTitle}
      submit={text.newCodes}
      isPending={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() => make.mutate(undefined)}
    >
      <p>{text.newCodesText}</p>
    </FormDialog>
  )
}

function RemoveDialog({ onClose, onRemoved }: { onClose: () => void; onRemoved: () => void }) {
  const call = useCall()
  const remove = async () => {
    await auth.totpRemove(call)
    onRemoved()
  }
  return (
    <ConfirmDialog
      title={text.removeFactorTitle}
      words={text.removeFactorText}
      submit={text.removeFactor}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
