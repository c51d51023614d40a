/** Invites the bot, chooses its server if it has joined several, and registers its commands. */
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import styles from './discord.module.css'
import { type Bot, type Servers, useInstall, WRITE } from './queries.ts'

const t = text.discord

type Props = { readonly bot: Bot; readonly joined: UseQueryResult<Servers> }

export function Install({ bot, joined }: Props) {
  const servers = joined.data?.servers ?? []
  const [chosen, setChosen] = useState<string>()
  const showToast = useToast()
  const install = useInstall(({ server }) =>
    showToast({ title: server === null ? t.inviteFirst : t.installDone(server.name) }),
  )
  const isSeveral = servers.length > 1
  const wanted = chosen ?? bot.server?.id ?? ''
  const isInvited = servers.length > 0
  const isDone = bot.installed_at !== null
  return (
    <>
      <p>{isDone ? t.next : isInvited ? (isSeveral ? t.chooseNow : t.installNow) : t.inviteNow}</p>
      {isSeveral && (
        <SelectField
          label={t.server}
          value={wanted}
          options={[
            ...(wanted === '' ? [['', t.chooseServer] as const] : []),
            ...servers.map(({ id, name }) => [id, name] as const),
          ]}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      <div className={`bar ${styles.actions}`}>
        <a
          className={isInvited || isDone ? 'button' : 'button main'}
          href={bot.invite_url}
          target="_blank"
          rel="noreferrer"
        >
          {t.invite}
        </a>
        <GuardedButton
          needs={WRITE}
          reason={isSeveral && wanted === '' ? t.chooseFirst : undefined}
          className={isInvited && !isDone ? 'main' : undefined}
          disabled={install.isPending}
          onClick={() => install.mutate(isSeveral ? wanted : undefined)}
        >
          {isDone ? t.again : t.install}
        </GuardedButton>
      </div>
      <ErrorMessage of={install.error} />
    </>
  )
}
