/** Shows a user's record as a full page. */
import { useParams } from '@tanstack/react-router'
import { ApiCallButton } from '../../components/code/api-call.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import type { Toast } from '../../components/overlays/undo-button.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { useTitle } from '../../layout/title.ts'
import { addressOf, useGoTo } from '../../lib/address.ts'
import { shortKey } from '../../lib/short-key.ts'
import { recordText } from '../../messages/en/user-record.ts'
import { useProject } from '../../queries/projects.ts'
import { FoundUser } from './drawer.tsx'
import { useUser } from './queries.ts'
import { Identity, RecordActions, RecordStatus } from './record/head.tsx'
import styles from './record/record.module.css'
import { RecordBody, useDialogs } from './record/record.tsx'
import { nameOf, type User } from './user.ts'

/** Actions that the command palette can open, with the permission that each requires. */
const VERBS = {
  extend: 'users:write',
  reset: 'users:write',
  blacklist: 'users:write',
  unblacklist: 'users:write',
}

export function UserPage() {
  const { key = '' }: { key?: string } = useParams({ strict: false })
  const { data: user } = useUser(key)
  const name = user ? nameOf(user) : shortKey(key)
  useTitle(name)
  return (
    <>
      {user === undefined && <h1 dir="auto">{name}</h1>}
      <FoundUser userKey={key}>{(found) => <OnePage key={key} user={found} />}</FoundUser>
    </>
  )
}

function OnePage({ user }: { user: User }) {
  const { id } = useProject()
  const list = addressOf.project(id, 'users')
  const goTo = useGoTo()
  const showToast = useToast()
  const removed = (toast: Toast) => {
    goTo(list)
    showToast(toast)
  }
  const { dialogs, element } = useDialogs(user, removed)
  useDialogParam<keyof typeof VERBS>(VERBS, dialogs.onChange)
  return (
    <>
      <div className={styles.head}>
        <div>
          <nav aria-label={recordText.back}>
            <a className="back" href={list}>
              {recordText.back}
            </a>
          </nav>
          <div className={styles.name}>
            <h1 dir="auto">{nameOf(user)}</h1>
            <RecordStatus user={user} />
          </div>
          <Identity user={user} />
        </div>
        <div className="bar">
          <ApiCallButton />
          <RecordActions user={user} {...dialogs} />
        </div>
      </div>
      <RecordBody user={user} onChange={dialogs.onChange} />
      {element}
    </>
  )
}
