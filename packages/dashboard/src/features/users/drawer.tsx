/** Shows a user's record next to the list that it was opened from. */
import { isServiceError } from '@scriptward/sdk'
import type { ReactNode } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import type { Toast } from '../../components/overlays/undo-button.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useFilters } from '../../lib/address.ts'
import { shortKey } from '../../lib/short-key.ts'
import { recordText } from '../../messages/en/user-record.ts'
import { text } from '../../messages/text.ts'
import { useUser } from './queries.ts'
import { Identity, RecordActions, RecordStatus } from './record/head.tsx'
import { RecordIcon } from './record/icons.tsx'
import styles from './record/record.module.css'
import { RecordBody, useDialogs } from './record/record.tsx'
import { nameOf, type User } from './user.ts'

/** Shown while the URL contains the user's key. */
export function UserDrawer({ userKey }: { userKey: string }) {
  const { data: user } = useUser(userKey)
  const showToast = useToast()
  const [, change] = useFilters()
  const close = () => change({ user: undefined, tab: undefined, kind: undefined })
  const removed = (toast: Toast) => {
    close()
    showToast(toast)
  }
  return (
    <Drawer title={user ? nameOf(user) : shortKey(userKey)} onClose={close}>
      <FoundUser userKey={userKey}>{(found) => <OneUser user={found} onRemoved={removed} />}</FoundUser>
    </Drawer>
  )
}

type Found = { readonly userKey: string; readonly children: (user: User) => ReactNode }

/** Keeps showing the user and any unsaved input, even after the user is removed. */
export function FoundUser({ userKey, children }: Found) {
  const query = useUser(userKey)
  const user = query.data
  const isGone = isServiceError(query.error) && query.error.status === 404
  if (isGone && user === undefined) return <Empty title={text.users.goneTitle} hint={text.users.goneHint} />
  return (
    <QueryBoundary query={{ ...query, error: user === undefined ? query.error : null }}>
      {isGone && (
        <p className="notice warn" role="alert">
          {text.users.goneNow}
        </p>
      )}
      {user && children(user)}
    </QueryBoundary>
  )
}

function OneUser({ user, onRemoved }: { user: User; onRemoved: (toast: Toast) => void }) {
  const { dialogs, element } = useDialogs(user, onRemoved)
  return (
    <>
      <div className={styles.head}>
        <div>
          <RecordStatus user={user} />
          <Identity user={user}>
            <a
              className={styles.expand}
              href={addressOf.userPage(user.project_id, user.key)}
              aria-label={recordText.openPage}
              title={recordText.openPage}
            >
              <RecordIcon name="expand" />
            </a>
          </Identity>
        </div>
        <div className="bar">
          <RecordActions user={user} {...dialogs} />
        </div>
      </div>
      <RecordBody user={user} onChange={dialogs.onChange} />
      {element}
    </>
  )
}
