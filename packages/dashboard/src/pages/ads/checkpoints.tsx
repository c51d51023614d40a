/** The steps of an ad system in their order, which changes by arrows or by dragging one onto another. */
import { type DragEvent, useState } from 'react'
import { Complaint } from '../../parts/complaint.tsx'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { useRefusal } from '../../rights.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import { CheckpointForm } from './checkpoint-form.tsx'
import { CheckpointRow } from './checkpoint-row.tsx'
import { type Checkpoint, type Open, useCheckpoints, useRemoveCheckpoint, useSwap, WRITE } from './queries.ts'

const t = text.ads

export function Checkpoints({ systemId }: { systemId: string }) {
  const asked = useCheckpoints(systemId)
  const [open, setOpen] = useState<Open | null>(null)
  const all = asked.data ?? []
  const close = () => setOpen(null)
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.addCheckpoint}
    </GuardedButton>
  )
  const named = open !== null && open.kind !== 'new' ? all.find(({ id }) => id === open.id) : undefined
  return (
    <Panel title={t.checkpoints} hint={t.checkpointsHint} actions={all.length > 0 ? add : undefined}>
      <Waiting asked={asked}>
        {asked.data && all.length === 0 ? (
          <Empty title={t.noCheckpoints} hint={t.noCheckpointsHint}>
            {add}
          </Empty>
        ) : (
          <Ordered all={all} onOpen={setOpen} />
        )}
      </Waiting>
      {open?.kind === 'new' && <CheckpointForm systemId={systemId} others={all} onClose={close} />}
      {open?.kind === 'edit' && named && (
        <CheckpointForm systemId={systemId} others={all} checkpoint={named} onClose={close} />
      )}
      {open?.kind === 'remove' && named && <Removal checkpoint={named} onClose={close} />}
    </Panel>
  )
}

function Ordered({ all, onOpen }: { all: readonly Checkpoint[]; onOpen: (open: Open) => void }) {
  const swap = useSwap()
  const say = useSay()
  const mayDrag = useRefusal(WRITE) === undefined
  const [dragged, setDragged] = useState<string | null>(null)
  const move = ({ id, name }: Checkpoint, index: number) =>
    swap.mutate({ id, index }, { onSuccess: () => say({ title: t.moved(name, index + 1) }) })
  const drop = (event: DragEvent, index: number) => {
    event.preventDefault()
    const one = all.find(({ id }) => id === dragged)
    setDragged(null)
    if (one && one.index !== index) move(one, index)
  }
  return (
    <>
      <Complaint of={swap.error} />
      <ol className="rows" aria-label={t.checkpoints}>
        {all.map((checkpoint) => (
          <li
            key={checkpoint.id}
            draggable={mayDrag}
            onDragStart={() => setDragged(checkpoint.id)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={(event) => drop(event, checkpoint.index)}
          >
            <CheckpointRow
              checkpoint={checkpoint}
              all={all}
              isMoving={swap.isPending}
              onMove={(index) => move(checkpoint, index)}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

function Removal({ checkpoint: { id, name }, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const remove = useRemoveCheckpoint()
  const say = useSay()
  return (
    <ConfirmDialog
      title={t.removeStepTitle(name)}
      words={t.removeStepWords}
      submit={text.remove}
      onConfirm={async () => {
        await remove(id)
        say({ title: t.stepRemoved })
      }}
      onClose={onClose}
    />
  )
}
