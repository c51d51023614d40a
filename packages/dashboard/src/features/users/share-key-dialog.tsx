/** Everything needed to hand a key to a customer: expiry, loader, message and QR code. */
import { v1ProjectScriptsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { AreaField } from '../../components/fields/area-field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { Loaders, OnlyHere } from '../../components/loaders.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { addressOf } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { snippetsOf } from '../../lib/snippets.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { keepTemplate, messageFor, readTemplate } from './message.ts'
import { endWords, isEnding, nameOf, type User } from './user.ts'
import styles from './users.module.css'

type Props = { readonly user: User; readonly isNew: boolean; readonly onClose: () => void }

export function ShareKeyDialog({ user, isNew, onClose }: Props) {
  const t = text.users
  const scripts = useScripts()
  const [chosen, setChosen] = useState<string>()
  const script = scripts.data?.find(({ id }) => id === chosen) ?? scripts.data?.[0]
  return (
    <Dialog title={isNew ? t.keyCreated : t.handOverTitle(nameOf(user))} isWide onClose={onClose}>
      <div className={styles.sheet}>
        <img className={styles.qr} src={pictureOf(user.key)} alt={t.qr} />
        <div className="stack tight">
          <div className="secret">
            <code>{user.key}</code>
            <CopyButton value={user.key} label={t.copyKey} />
          </div>
          <p>{t.expiresLine(isEnding(user) ? endWords(user) : undefined)}</p>
          <p className="hint">{t.qrHint}</p>
        </div>
      </div>
      {(scripts.data?.length ?? 0) > 1 && script && (
        <SelectField
          label={t.script}
          value={script.id}
          options={(scripts.data ?? []).map(({ id, name }) => [id, name])}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      {script ? (
        <Loaders script={script} userKey={user.key} />
      ) : (
        scripts.isSuccess && (
          <>
            <OnlyHere />
            <p className="notice">
              {t.noScript} <a href={addressOf.project(user.project_id, 'scripts')}>{t.toScripts}</a>
            </p>
          </>
        )
      )}
      {/* A message that is copied before the scripts are known would lack the loader. */}
      {!scripts.isLoading && (
        <Message user={user} loader={script ? snippetsOf(script.id, user.key).executor : ''} />
      )}
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {t.finished}
        </button>
      </div>
    </Dialog>
  )
}

const MAX_SCRIPTS = 100

function useScripts() {
  const call = useCall()
  const { id } = useProject()
  const isRefused = useRefusal('scripts:read') !== undefined
  return useQuery({
    queryKey: ['scripts to hand over', id],
    queryFn: async () =>
      (await v1ProjectScriptsList({ ...call, path: { project_id: id }, query: { limit: MAX_SCRIPTS } })).data
        .scripts,
    enabled: !isRefused,
  })
}

/** The message for the customer. Edits also apply to the messages for later keys. */
function Message({ user, loader }: { user: User; loader: string }) {
  const t = text.users
  const [template, setTemplate] = useState(() => readTemplate(user.project_id))
  const [isEdited, setIsEdited] = useState(false)
  const change = (next: string) => {
    setTemplate(next)
    keepTemplate(user.project_id, next)
  }
  const message = messageFor(template, user, loader)
  return (
    <section className="stack tight" aria-label={t.message}>
      <div className="bar between">
        <h3>{t.message}</h3>
        <div className="bar">
          <button type="button" className="quiet" onClick={() => setIsEdited(!isEdited)}>
            {isEdited ? t.showMessage : t.editMessage}
          </button>
          <CopyButton value={message} label={t.copyMessage} />
        </div>
      </div>
      {isEdited ? (
        <AreaField label={t.messageText} hint={t.messageHint} value={template} onChange={change} />
      ) : (
        <p className={styles.message}>{message}</p>
      )}
    </section>
  )
}

function pictureOf(words: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(words))}`
}
