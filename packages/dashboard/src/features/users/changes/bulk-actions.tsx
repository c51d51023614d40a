/** Actions for the selected users. */
import Papa from 'papaparse'
import { GuardedButton } from '../../../components/guarded.tsx'
import { BulkBar } from '../../../components/table/bulk-bar.tsx'
import type { Selection } from '../../../components/table/table.tsx'
import { saveText } from '../../../lib/save-text.ts'
import { text } from '../../../messages/text.ts'
import type { User } from '../user.ts'
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
const EXPORTED = [
  'key',
  'chat_id',
  'note',
  'private_note',
  'key_expires',
  'executor',
  'blacklisted',
  'blacklist_reason',
  'blacklist_expires',
] as const satisfies (keyof User)[]

type Props = {
  readonly users: readonly User[]
  readonly selection: Selection
  readonly onChange: (change: ChangeId) => void
}

export function BulkActions({ users, selection, onChange }: Props) {
  const t = text.users
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
      <button type="button" onClick={() => saveText('users.csv', csvOf(users))}>
        {t.exportChosen}
      </button>
    </BulkBar>
  )
}

/** Creates a CSV that can be imported; cells that a spreadsheet would treat as formulas are quoted. */
function csvOf(users: readonly User[]): string {
  return Papa.unparse([...users], { columns: [...EXPORTED], escapeFormulae: true })
}
