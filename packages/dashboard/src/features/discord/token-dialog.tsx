/** Asks for the bot token, which is sent to the server and not kept in the browser. */
import { PasswordField } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useUnkeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useConnect } from './queries.ts'

const t = text.discord
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

export function TokenDialog({ isNew, onClose }: { readonly isNew: boolean; readonly onClose: () => void }) {
  const kept = useKept('discord-token')
  const [typed, setTyped] = useUnkeptState(kept, 'token', '')
  const showToast = useToast()
  const connect = useConnect(({ name }) => {
    showToast({ title: t.connected(name) })
    kept.forget(onClose)
  })
  const errors = useFormErrors(connect.error, {
    discord_token_refused: 'bot_token',
    discord_failed: 'bot_token',
  })
  const submit = () => {
    const token = typed.trim()
    if (errors.check({ bot_token: TOKEN.test(token) ? undefined : t.tokenWrong })) connect.mutate(token)
  }
  return (
    <FormDialog
      kept={kept}
      title={isNew ? t.tokenTitle : t.replaceTitle}
      submit={t.connect}
      isPending={connect.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {!isNew && <p>{t.replaceHint}</p>}
      <PasswordField
        label={t.token}
        hint={t.tokenHint}
        error={errors.of('bot_token')}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
