import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { copyText } from '../../lib/copy-text.ts'
import { text } from '../../messages/text.ts'
import type { ChangeId } from './changes/changes.ts'
import { nameOf, type User } from './user.ts'

const WRITE = 'users:write'

type Props = {
  readonly user: User
  readonly onOpen: () => void
  readonly onHandOver: () => void
  readonly onChange: (change: ChangeId) => void
}

export function RowMenu({ user, onOpen, onHandOver, onChange }: Props) {
  const t = text.userList
  const showToast = useToast()
  const copy = async () =>
    showToast({ title: (await copyText(user.key)) ? t.keyCopied : text.frame.copyFailed })
  return (
    <Menu label={t.actionsOf(nameOf(user))}>
      <MenuItem onClick={onOpen}>{t.open}</MenuItem>
      <MenuItem onClick={copy}>{t.copyKey}</MenuItem>
      <MenuItem onClick={onHandOver}>{t.handOver}</MenuItem>
      {user.status === 'unused' && (
        <MenuItem needs={WRITE} onClick={() => onChange('issue')}>
          {t.changes.issue.action}
        </MenuItem>
      )}
      <MenuItem needs={WRITE} onClick={() => onChange('extend')}>
        {t.changes.extend.action}
      </MenuItem>
      <MenuItem needs={WRITE} onClick={() => onChange(user.paused ? 'resume' : 'pause')}>
        {user.paused ? t.changes.resume.action : t.changes.pause.action}
      </MenuItem>
      {user.fingerprint_assigned && (
        <MenuItem needs={WRITE} onClick={() => onChange('reset')}>
          {t.changes.reset.action}
        </MenuItem>
      )}
      {user.status === 'locked' && (
        <MenuItem needs={WRITE} onClick={() => onChange('unlock')}>
          {t.changes.unlock.action}
        </MenuItem>
      )}
      <MenuItem needs={WRITE} onClick={() => onChange(user.blacklisted ? 'unblacklist' : 'blacklist')}>
        {user.blacklisted ? t.changes.unblacklist.action : t.changes.blacklist.action}
      </MenuItem>
      <MenuItem needs={WRITE} isDanger onClick={() => onChange('remove')}>
        {t.changes.remove.action}
      </MenuItem>
    </Menu>
  )
}
