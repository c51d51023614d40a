/** A script's channels, which decide which version each key gets. */
import { v1ChannelsRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { GuardedButton } from '../../../components/guarded.tsx'
import { ConfirmDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { usePlans } from '../../../queries/plans.ts'
import { type Script, WRITE } from '../queries.ts'
import { ChannelForm } from './channel-form.tsx'
import { type Channel, STABLE, useChannels } from './queries.ts'

const t = text.releases
/** Maximum number of channels besides `stable`. */
const MAX_CHANNELS = 10

type Open = { readonly deed: 'edit' | 'remove'; readonly channel: Channel | undefined }

export function Channels({ script }: { script: Script }) {
  const query = useChannels(script.id)
  const [open, setOpen] = useState<Open>()
  const channels = query.data ?? []
  const close = () => setOpen(undefined)
  const button = (
    <GuardedButton
      needs={WRITE}
      reason={channels.length > MAX_CHANNELS ? t.tooMany(MAX_CHANNELS) : undefined}
      onClick={() => setOpen({ deed: 'edit', channel: undefined })}
    >
      {t.addChannel}
    </GuardedButton>
  )
  return (
    <Panel title={t.channels} hint={t.channelsHint} actions={button}>
      <QueryBoundary query={query}>
        <ul className="rows" aria-label={t.channels}>
          {channels.map((channel) => (
            <ChannelRow key={channel.name} channel={channel} onOpen={setOpen} />
          ))}
        </ul>
      </QueryBoundary>
      {open?.deed === 'edit' && (
        <ChannelForm script={script} channel={open.channel} others={channels} onClose={close} />
      )}
      {open?.deed === 'remove' && open.channel && (
        <Removal script={script} name={open.channel.name} onClose={close} />
      )}
    </Panel>
  )
}

function ChannelRow({ channel, onOpen }: { channel: Channel; onOpen: (open: Open) => void }) {
  const { name, version } = channel
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{name}</strong>
          <span className="badge plain">{text.scripts.versionOf(version)}</span>
        </div>
        <Who channel={channel} />
      </div>
      {name !== STABLE && (
        <div className="actions">
          <GuardedButton
            needs={WRITE}
            aria-label={t.editOf(name)}
            onClick={() => onOpen({ deed: 'edit', channel })}
          >
            {t.editChannel}
          </GuardedButton>
          <GuardedButton
            needs={WRITE}
            className="danger"
            aria-label={t.removeOf(name)}
            onClick={() => onOpen({ deed: 'remove', channel })}
          >
            {text.remove}
          </GuardedButton>
        </div>
      )}
    </li>
  )
}

function Who({ channel: { name, tags, plans } }: { channel: Channel }) {
  const known = usePlans().data ?? []
  const nameOf = (id: string) => known.find((plan) => plan.id === id)?.name ?? id
  if (name === STABLE) return <div className="facts">{t.everyoneElse}</div>
  return (
    <div className="facts">
      {tags.length > 0 && <span>{t.tagsOf(tags)}</span>}
      {plans.length > 0 && <span>{t.plansOf(plans.map(nameOf))}</span>}
      {tags.length + plans.length === 0 && <span>{t.onlyNamed(name)}</span>}
    </div>
  )
}

type RemovalProps = { readonly script: Script; readonly name: string; readonly onClose: () => void }

function Removal({ script, name, onClose }: RemovalProps) {
  const call = useCall()
  const showToast = useToast()
  return (
    <ConfirmDialog
      title={t.removeTitle(name)}
      words={t.removeWords(script.version)}
      submit={text.remove}
      onConfirm={async () => {
        await v1ChannelsRemove({ ...call, path: { script_id: script.id, channel: name } })
        showToast({ title: t.channelRemoved(name) })
      }}
      onClose={onClose}
    />
  )
}
