/** The start URL for visitors, and its custom name. */
import { isServiceError, v1AdSystemsUrl } from '@scriptward/sdk'
import { type FormEvent, useState } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type AdSystem, WRITE } from './queries.ts'

const FORM = /^[A-Za-z0-9-]{3,32}$/

export function OwnPage({ system }: { system: AdSystem }) {
  const call = useCall()
  const showToast = useToast()
  // Undefined until edited, so that changes from another tab are shown.
  const kept = useKept('ad-page', system.id)
  const [draft, setDraft] = useKeptState<string | undefined>(kept, 'url', undefined)
  const typed = draft ?? system.url ?? ''
  const [error, setError] = useState<string>()
  const save = useChange(async (url: string) => {
    await v1AdSystemsUrl({ ...call, path: { system_id: system.id }, body: { url } })
    kept.forget()
    showToast({ title: t.saved })
  })
  const set = (url: string) => {
    const isGood = url === '' || FORM.test(url)
    setError(isGood ? undefined : t.ownAddressWrong)
    if (isGood) save.mutate(url, { onSuccess: () => setDraft(undefined) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set(typed.trim())
  }
  const answered = errorText(save.error)
  return (
    <Panel title={t.page} hint={t.pageHint}>
      <div className="secret">
        <code>{system.page_url}</code>
        <CopyButton value={system.page_url} />
      </div>
      <Form kept={kept} className="stack tight" onSubmit={submit}>
        <Field
          label={t.ownAddress}
          hint={t.ownAddressHint}
          error={error ?? answered}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setDraft(event.target.value)}
        />
        {answered === undefined && <ErrorMessage of={save.error} />}
        <div className="bar">
          <GuardedButton needs={WRITE} disabled={save.isPending} onClick={() => set(typed.trim())}>
            {t.save}
          </GuardedButton>
          {system.url !== null && (
            <GuardedButton needs={WRITE} className="quiet" onClick={() => set('')}>
              {t.takeAway}
            </GuardedButton>
          )}
        </div>
      </Form>
    </Panel>
  )
}

function errorText(error: unknown): string | undefined {
  if (isServiceError(error, 'url_already_taken')) return t.ownAddressTaken
  return isServiceError(error, 'invalid_url') ? t.ownAddressWrong : undefined
}
