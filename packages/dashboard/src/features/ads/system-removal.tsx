import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { type AdSystem, useRemoveSystem } from './queries.ts'

const t = text.ads
type Props = { readonly system: AdSystem; readonly onClose: () => void; readonly onRemoved?: () => void }

export function SystemRemoval({ system, onClose, onRemoved }: Props) {
  const remove = useRemoveSystem()
  const showToast = useToast()
  return (
    <ConfirmDialog
      title={t.removeTitle(system.name)}
      words={t.removeWords(system.total_checkpoints)}
      submit={text.remove}
      onConfirm={async () => {
        await remove(system.id)
        showToast({ title: t.removed })
        onRemoved?.()
      }}
      onClose={onClose}
    />
  )
}
