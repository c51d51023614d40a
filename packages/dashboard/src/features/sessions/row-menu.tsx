/** Actions for a live session: message it, end it, open its user, or block its device or network. */
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { customerName, type Named } from '../../lib/customer-name.ts'
import { text } from '../../messages/text.ts'
import type { Session } from './live.ts'

export type SessionDeed = 'message' | 'disconnect' | 'block'
type Props = {
  readonly session: Session
  readonly user: Named
  readonly onAct: (deed: SessionDeed) => void
}

export function SessionMenu({ session, user, onAct }: Props) {
  const t = text.sessions
  const open = useOpen()
  const { user_key, project_id } = session
  return (
    <Menu label={t.actionsOf(user.user_key === null ? t.noUser : customerName(user))}>
      <MenuItem needs="sessions:write" onClick={() => onAct('message')}>
        {t.message}
      </MenuItem>
      {user_key !== null && (
        <>
          <MenuItem needs="users:read" onClick={() => open(addressOf.user(project_id, user_key))}>
            {t.openUser}
          </MenuItem>
          <MenuItem needs="users:write" onClick={() => onAct('block')}>
            {text.bans.banUser}
          </MenuItem>
        </>
      )}
      <MenuItem needs="sessions:write" isDanger onClick={() => onAct('disconnect')}>
        {t.disconnect}
      </MenuItem>
    </Menu>
  )
}
