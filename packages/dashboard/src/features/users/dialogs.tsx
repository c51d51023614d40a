/** The open dialog. The import is a separate chunk, because it is large and rarely used. */
import { lazy, Suspense } from 'react'
import { useToast } from '../../components/overlays/toasts.tsx'
import { ChangeAll, type ChangeOfAll } from './changes/change-all.tsx'
import { ChangeDialog } from './changes/change-dialog.tsx'
import { ChangeFiltered } from './changes/change-filtered.tsx'
import type { ChangeId } from './changes/changes.ts'
import { ExportDialog } from './changes/export-dialog.tsx'
import { ChatMembers } from './chat-members.tsx'
import { GenerateDialog } from './generate.tsx'
import { NewKey } from './new-key.tsx'
import { ShareKeyDialog } from './share-key-dialog.tsx'
import type { User } from './user.ts'

const ImportDialog = lazy(async () => ({ default: (await import('./import/dialog.tsx')).ImportDialog }))

export type DialogOf =
  | { readonly kind: 'new' | 'generate' | 'import' | 'chat' | 'filtered' }
  | { readonly kind: 'key'; readonly user: User; readonly isNew?: boolean }
  | { readonly kind: 'export'; readonly users?: readonly User[] }
  | { readonly kind: 'all'; readonly change: ChangeOfAll }
  | {
      readonly kind: 'change'
      readonly change: ChangeId
      readonly users: readonly User[]
      readonly onRemoved: (users: readonly User[]) => void
    }

type Props = {
  readonly open: DialogOf
  readonly onOpen: (open: DialogOf) => void
  readonly onClose: () => void
}

export function Dialogs({ open, onOpen, onClose }: Props) {
  const showToast = useToast()
  switch (open.kind) {
    case 'new':
      return <NewKey onMade={(user) => onOpen({ kind: 'key', user, isNew: true })} onClose={onClose} />
    case 'generate':
      return <GenerateDialog onClose={onClose} />
    case 'import':
      return (
        <Suspense>
          <ImportDialog onClose={onClose} />
        </Suspense>
      )
    case 'chat':
      return <ChatMembers onClose={onClose} />
    case 'key':
      return <ShareKeyDialog user={open.user} isNew={open.isNew ?? false} onClose={onClose} />
    case 'filtered':
      return <ChangeFiltered onToast={showToast} onClose={onClose} />
    case 'export':
      return <ExportDialog users={open.users} onToast={showToast} onClose={onClose} />
    case 'all':
      return <ChangeAll change={open.change} onToast={showToast} onClose={onClose} />
    default:
      return <ChangeDialog {...open} onToast={showToast} onClose={onClose} />
  }
}
