import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { type AdSystem, useRemoveSystem } from './queries.ts'

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
