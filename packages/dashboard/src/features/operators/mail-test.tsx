/** Sends a test email, and shows the mail server's response. */
import { adminMailTest } from '@scriptward/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { Dialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { serverText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import type { Me } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'

const t = serverText

export function MailTestDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const me = useQueryClient().getQueryData<Me>(['me'])
  const kept = useKept('test-email')
  const [to, setTo] = useKeptState(kept, 'to', me?.person?.email ?? '')
  const send = useChange(async () => {
    const { data } = await adminMailTest({ ...call, body: { to: to.trim() } })
    kept.forget()
    return data
  })
  const errors = useFormErrors(send.error)
  const submit = () => {
    if (errors.check({ to: to.trim() === '' ? t.mailTestMissing : undefined })) send.mutate(undefined)
  }
  if (send.data !== undefined) return <Sent {...send.data} onClose={onClose} />
  return (
    <FormDialog
      kept={kept}
      title={t.testMail}
      submit={send.isPending ? t.mailTestRunning : t.mailTestSubmit}
      isPending={send.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={t.mailTestTo}
        hint={t.mailTestHint}
        type="email"
        value={to}
        error={errors.of('to')}
        onChange={({ target }) => setTo(target.value)}
      />
    </FormDialog>
  )
}

type SentProps = {
  readonly to: string
  readonly mail_server: string
  readonly answer: string
  readonly onClose: () => void
}

function Sent({ to, mail_server, answer, onClose }: SentProps) {
  return (
    <Dialog title={t.mailTestSent} onClose={onClose}>
      <p role="status">{t.mailTestAccepted(mail_server, to)}</p>
      <p>
        <code>{answer}</code>
      </p>
      <p className="hint">{t.mailTestCheck}</p>
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {text.done}
        </button>
      </div>
    </Dialog>
  )
}
