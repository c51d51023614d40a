/** The second factor: an app that shows codes, and codes for the day when the app is lost. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { auth, type Person } from '../access-api.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog, FormDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { saveText } from '../save-text.ts'
import { text } from '../text.ts'

type App = { readonly secret: string; readonly uri: string }

export function SecondFactor({ person }: { person: Person }) {
  const call = useCall()
  const [app, setApp] = useState<App | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [isRemoving, setIsRemoving] = useState(false)
  const begin = useMutation({ mutationFn: () => auth.totpBegin(call) })
  const renew = useChange(() => auth.newRecoveryCodes(call))
  const isOn = person.has_second_factor
  return (
    <section className="panel">
      <header>
        <h2 className="bar">
          {text.factorTitle}
          <span className={isOn ? 'badge on' : 'badge'}>{isOn ? text.on : text.off}</span>
        </h2>
        <p className="hint">
          {isOn ? `${text.factorOn} ${text.codesLeft(person.recovery_codes_left)}` : text.factorOff}
        </p>
      </header>
      <div className="bar">
        {isOn ? (
          <>
            <button
              type="button"
              onClick={() =>
                renew.mutate(undefined, { onSuccess: ({ recovery_codes }) => setCodes(recovery_codes) })
              }
            >
              {text.newCodes}
            </button>
            <button type="button" className="danger" onClick={() => setIsRemoving(true)}>
              {text.removeFactor}
            </button>
          </>
        ) : (
          <button
            type="button"
            className="main"
            onClick={() => begin.mutate(undefined, { onSuccess: setApp })}
          >
            {text.addFactor}
          </button>
        )}
      </div>
      <Complaint of={begin.error ?? renew.error} />
      {app && (
        <ScanDialog
          app={app}
          onClose={() => setApp(null)}
          onDone={(made) => {
            setApp(null)
            setCodes(made)
          }}
        />
      )}
      {codes && <CodesDialog codes={codes} email={person.email} onClose={() => setCodes(null)} />}
      {isRemoving && <RemoveDialog onClose={() => setIsRemoving(false)} />}
    </section>
  )
}

type Scan = {
  readonly app: App
  readonly onClose: () => void
  readonly onDone: (codes: readonly string[]) => void
}

function ScanDialog({ app, onClose, onDone }: Scan) {
  const call = useCall()
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const finish = useMutation({ mutationFn: () => auth.totpFinish(call, code.trim()) })
  const done = ({ recovery_codes }: { recovery_codes: readonly string[] }) => {
    onDone(recovery_codes)
    void queries.invalidateQueries()
  }
  const image = `data:image/svg+xml,${encodeURIComponent(renderSVG(app.uri, { border: 1 }))}`
  return (
    <FormDialog
      title={text.scanTitle}
      submit={text.turnOn}
      isPending={finish.isPending}
      error={finish.error}
      onClose={onClose}
      onSubmit={() => finish.mutate(undefined, { onSuccess: done })}
    >
      <p>{text.scan}</p>
      <img className="qr" src={image} alt={text.qrLabel} />
      <div className="stack tight">
        <span className="hint">{text.orType}</span>
        <div className="secret">
          <code>{app.secret}</code>
          <CopyButton value={app.secret} />
        </div>
      </div>
      <Field
        label={text.thenCode}
        className="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </FormDialog>
  )
}

function CodesDialog({
  codes,
  email,
  onClose,
}: {
  codes: readonly string[]
  email: string
  onClose: () => void
}) {
  const all = codes.join('\n')
  return (
    <Dialog title={text.codesTitle} onClose={() => {}}>
      <p>{text.codesIntro}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="bar between">
        <div className="bar">
          <CopyButton value={all} />
          <button
            type="button"
            onClick={() => saveText('scriptward-recovery-codes.txt', `${text.product}, ${email}\n\n${all}\n`)}
          >
            {text.download}
          </button>
          <button type="button" onClick={() => print()}>
            {text.print}
          </button>
        </div>
        <button type="button" className="main" onClick={onClose}>
          {text.codesKept}
        </button>
      </div>
    </Dialog>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const remove = useChange(() => auth.totpRemove(call))
  return (
    <FormDialog
      title={text.removeFactorTitle}
      submit={text.removeFactor}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{text.removeFactorText}</p>
    </FormDialog>
  )
}
