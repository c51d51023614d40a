/** Actions for the selected users. */
import { GuardedButton } from '../../../components/guarded.tsx'
import { BulkBar } from '../../../components/table/bulk-bar.tsx'
import type { Selection } from '../../../components/table/table.tsx'
import { text } from '../../../messages/text.ts'
import type { ChangeId } from './changes.ts'

const WRITE = 'users:write'
const SHOWN: readonly ChangeId[] = [
  'extend',
  'pause',
  'resume',
  'tag',
  'reset',
  'blacklist',
  'unblacklist',
  'remove',
]
type Props = {
  readonly selection: Selection
  readonly onChange: (change: ChangeId) => void
  readonly onExport: () => void
}

export function BulkActions({ selection, onChange, onExport }: Props) {
  const t = text.userList
  return (
    <BulkBar selection={selection}>
      {SHOWN.map((id) => (
        <GuardedButton
          key={id}
          needs={WRITE}
          {...(id === 'remove' && { className: 'danger' })}
          onClick={() => onChange(id)}
        >
          {t.changes[id].action}
        </GuardedButton>
      ))}
      <button type="button" onClick={onExport}>
        {t.export}
      </button>
    </BulkBar>
  )
}
