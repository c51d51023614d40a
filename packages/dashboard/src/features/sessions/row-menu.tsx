/** The actions of a live session: message it, end it, open its user, or block what it runs on. */
import { useState } from 'react'
import { Dots, Menu, MenuItem } from '../../components/overlays/menu.tsx'
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

/** A plain button until it is used, because a menu for every scrolled row would be slow. */
export function SessionMenu(given: Props) {
  const [isUsed, setIsUsed] = useState(false)
  const t = text.sessions
  const label = t.actionsOf(given.user.user_key === null ? t.noUser : customerName(given.user))
  if (isUsed) return <UsedMenu {...given} label={label} />
  return <Dots aria-label={label} onClick={() => setIsUsed(true)} />
}

function UsedMenu({ session, label, onAct }: Props & { readonly label: string }) {
  const t = text.sessions
  const open = useOpen()
  const { user_key, project_id } = session
  return (
    <Menu label={label} isOpenAtFirst>
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
