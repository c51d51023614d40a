/** An ad system's steps and their dialogs. */
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { CheckpointForm } from './checkpoint-form.tsx'
import { Ordered } from './order.tsx'
import { type Checkpoint, type Open, useCheckpoints, useRemoveCheckpoint, WRITE } from './queries.ts'

type Props = { readonly systemId: string; readonly onAdded: () => void }

export function Checkpoints({ systemId, onAdded }: Props) {
  const query = useCheckpoints(systemId)
  const [open, setOpen] = useState<Open | null>(null)
  const all = query.data ?? []
  const close = () => setOpen(null)
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.addCheckpoint}
    </GuardedButton>
  )
  const named = open !== null && open.kind !== 'new' ? all.find(({ id }) => id === open.id) : undefined
  return (
    <Panel title={t.checkpoints} hint={t.checkpointsHint} actions={all.length > 0 ? add : undefined}>
      <QueryBoundary query={query}>
        {query.data && all.length === 0 ? (
          <Empty title={t.noCheckpoints} hint={t.noCheckpointsHint}>
            {add}
          </Empty>
        ) : (
          <Ordered all={all} onOpen={setOpen} />
        )}
      </QueryBoundary>
      {open?.kind === 'new' && (
        <CheckpointForm systemId={systemId} others={all} onAdded={onAdded} onClose={close} />
      )}
      {open?.kind === 'edit' && named && (
        <CheckpointForm systemId={systemId} others={all} checkpoint={named} onClose={close} />
      )}
      {open?.kind === 'remove' && named && <Removal checkpoint={named} onClose={close} />}
    </Panel>
  )
}

function Removal({ checkpoint: { id, name }, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const remove = useRemoveCheckpoint()
  const showToast = useToast()
  return (
    <ConfirmDialog
      title={t.removeStepTitle(name)}
      words={t.removeStepWords}
      submit={text.remove}
      onConfirm={async () => {
        await remove(id)
        showToast({ title: t.stepRemoved })
      }}
      onClose={onClose}
    />
  )
}
