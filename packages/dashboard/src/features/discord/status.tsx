/** The bot's state: missing steps, errors, its server, and its actions. */
import { type ReactNode, useState } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { text } from '../../messages/text.ts'
import { Install } from './install.tsx'
import { type Bot, useDisconnect, useServers, WRITE } from './queries.ts'

const t = text.discord

type Props = { readonly bot: Bot; readonly onReplace: () => void }

export function Status({ bot, onReplace }: Props) {
  const [isAsked, setIsAsked] = useState(false)
  const joined = useServers(bot)
  const [tone, title] = stateOf(bot, joined.data?.servers.length)
  return (
    <Panel
      title={bot.name}
      hint={<Badge tone={tone}>{title}</Badge>}
      actions={
        <>
          <GuardedButton needs={WRITE} onClick={onReplace}>
            {t.replace}
          </GuardedButton>
          <GuardedButton needs={WRITE} className="danger" onClick={() => setIsAsked(true)}>
            {t.disconnect}
          </GuardedButton>
        </>
      }
    >
      {bot.failure && (
        <div className="notice warn">
          <p>
            <strong>{t.lastFailure}</strong> (<Time at={bot.failure.at} />)
            <br />
            {bot.failure.message}
          </p>
        </div>
      )}
      <Install bot={bot} joined={joined} />
      <Facts bot={bot} />
      {isAsked && <Disconnect name={bot.name} onClose={() => setIsAsked(false)} />}
    </Panel>
  )
}

/** `joined` is the number of servers, once Discord has responded. */
function stateOf({ failure, installed_at }: Bot, joined: number | undefined): readonly [Tone, string] {
  if (failure) return ['bad', t.failing]
  if (installed_at !== null) return ['good', t.ready]
  return ['warn', joined === 0 ? t.notInvited : t.notInstalled]
}

function Facts({ bot }: { bot: Bot }) {
  const { server, installed_at, last_interaction_at, interactions_url, application_id } = bot
  const time = (at: number | null) => (at === null ? t.never : <Time at={at} />)
  return (
    <dl className="facts-list">
      <Fact name={t.server}>{server === null ? t.none : <bdi>{server.name}</bdi>}</Fact>
      <Fact name={t.installed}>{time(installed_at)}</Fact>
      <Fact name={t.used}>{time(last_interaction_at)}</Fact>
      <Fact name={t.application}>
        <code>{application_id}</code>
      </Fact>
      {interactions_url !== null && (
        <Fact name={t.address}>
          <div className="bar">
            <code>{interactions_url}</code>
            <CopyButton value={interactions_url} />
          </div>
          <span className="hint">{t.addressHint}</span>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Disconnect({ name, onClose }: { name: string; onClose: () => void }) {
  const disconnect = useDisconnect()
  const showToast = useToast()
  const confirm = async () => {
    await disconnect.mutateAsync(undefined)
    showToast({ title: t.disconnected })
  }
  return (
    <ConfirmDialog
      title={t.disconnectTitle(name)}
      words={t.disconnectWords}
      submit={t.disconnectNow}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
