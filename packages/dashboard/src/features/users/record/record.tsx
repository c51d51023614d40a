/**
 * Everything about one user: the current problem, key details, activity, devices, sessions and the edit form.
 */
import { useState } from 'react'
import { useToast } from '../../../components/overlays/toasts.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { useFilters } from '../../../lib/address.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { NewBan } from '../../bans/new-ban.tsx'
import { KINDS } from '../../bans/queries.ts'
import { ChangeDialog } from '../changes/change-dialog.tsx'
import type { ChangeId } from '../changes/changes.ts'
import { Devices } from '../device.tsx'
import { EditForm } from '../edit/edit-form.tsx'
import { Sessions } from '../sessions.tsx'
import { ShareKeyDialog } from '../share-key-dialog.tsx'
import type { User } from '../user.ts'
import { Activity } from './activity.tsx'
import { Details } from './details.tsx'
import { Facts } from './facts.tsx'
import { ProblemStrip } from './problem-strip.tsx'
import { useDevices, useSessions } from './queries.ts'
import styles from './record.module.css'

export type Dialogs = {
  readonly onChange: (change: ChangeId) => void
  readonly onHandOver: () => void
  readonly onBan: () => void
}

type Open = { readonly kind: 'change'; readonly change: ChangeId } | { readonly kind: 'share' | 'ban' }

/** Returns the functions that open a user's dialogs, and the dialog that is currently open. */
export function useDialogs(user: User, onRemoved: (toast: Toast) => void) {
  const [open, setOpen] = useState<Open | null>(null)
  const showToast = useToast()
  const close = () => setOpen(null)
  const dialogs: Dialogs = {
    onChange: (change) => setOpen({ kind: 'change', change }),
    onHandOver: () => setOpen({ kind: 'share' }),
    onBan: () => setOpen({ kind: 'ban' }),
  }
  const element = open && (
    <>
      {open.kind === 'change' && (
        <ChangeDialog
          change={open.change}
          users={[user]}
          onToast={open.change === 'remove' ? onRemoved : showToast}
          onClose={close}
        />
      )}
      {open.kind === 'ban' && <BanOf user={user} onClose={close} />}
      {open.kind === 'share' && <ShareKeyDialog user={user} isNew={false} onClose={close} />}
    </>
  )
  return { dialogs, element }
}

function BanOf({ user, onClose }: { user: User; onClose: () => void }) {
  const kinds = KINDS.filter((kind) => kind !== 'chat' || user.chat_id !== null)
  return <NewBan of={{ user_key: user.key, kinds }} onClose={onClose} />
}

export function RecordBody({ user, onChange }: { user: User; onChange: Dialogs['onChange'] }) {
  const t = recordText
  const [given, change] = useFilters()
  const showToast = useToast()
  const devices = useDevices(user).data?.length
  const mayRead = useRefusal('sessions:read') === undefined
  const sessions = useSessions(user.key, mayRead).data?.length
  const tabs = [
    { id: 'activity', title: t.activity, content: <Activity user={user} /> },
    {
      id: 'devices',
      title: t.devices,
      count: devices,
      content: <Devices user={user} onReset={() => onChange('reset')} />,
    },
    { id: 'sessions', title: t.sessions, count: sessions, content: <Sessions userKey={user.key} /> },
    { id: 'edit', title: t.edit, content: <EditForm user={user} onToast={showToast} /> },
  ]
  const chosen = tabs.find(({ id }) => id === given.tab)?.id ?? 'activity'
  return (
    <div className={styles.record}>
      <ProblemStrip user={user} onChange={onChange} />
      <Facts user={user} />
      <Details user={user} />
      <Tabs
        label={t.tabs}
        tabs={tabs}
        chosen={chosen}
        onChoose={(tab) => change({ tab: tab === 'activity' ? undefined : tab, kind: undefined })}
      />
    </div>
  )
}
