/** Asks before an ad system is removed. */
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { text } from '../../text/text.ts'
import { type AdSystem, useRemoveSystem } from './queries.ts'

const t = text.ads
type Given = { readonly system: AdSystem; readonly onClose: () => void; readonly onRemoved?: () => void }

export function SystemRemoval({ system, onClose, onRemoved }: Given) {
  const remove = useRemoveSystem()
  const say = useSay()
  return (
    <ConfirmDialog
      title={t.removeTitle(system.name)}
      words={t.removeWords(system.total_checkpoints)}
      submit={text.remove}
      onConfirm={async () => {
        await remove(system.id)
        say({ title: t.removed })
        onRemoved?.()
      }}
      onClose={onClose}
    />
  )
}
