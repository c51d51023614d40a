/** Reorders steps by drag and drop or with arrow buttons. */
import { type DragEvent, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { CheckpointRow } from './checkpoint-row.tsx'
import styles from './order.module.css'
import { type Checkpoint, type Open, useMove, WRITE } from './queries.ts'

export function Ordered({ all, onOpen }: { all: readonly Checkpoint[]; onOpen: (open: Open) => void }) {
  const move = useMove()
  const showToast = useToast()
  const mayDrag = useRefusal(WRITE) === undefined && all.length > 1
  const moveTo = ({ id, name, index: from }: Checkpoint, to: number) =>
    move.mutate({ id, from, to }, { onSuccess: () => showToast({ title: t.moved(name, to + 1) }) })
  const drag = useDrag(all, moveTo)
  return (
    <>
      <ErrorMessage of={move.error} />
      <ol className="rows lines" aria-label={t.checkpoints}>
        {all.map((checkpoint) => (
          <li key={checkpoint.id} className={styles.step} {...drag.targetOf(checkpoint)}>
            {mayDrag && (
              <span className={styles.grip} draggable={!move.isPending} {...drag.gripOf(checkpoint)}>
                ⠿
              </span>
            )}
            <CheckpointRow
              checkpoint={checkpoint}
              all={all}
              isMoving={move.isPending}
              onMove={(index) => moveTo(checkpoint, index)}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Tracks the dragged step and its drop target. */
function useDrag(all: readonly Checkpoint[], moveTo: (one: Checkpoint, to: number) => void) {
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<string>()
  const one = all.find(({ id }) => id === dragged)
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  return {
    gripOf: ({ id }: Checkpoint) => ({
      'aria-hidden': true,
      onDragStart: (event: DragEvent<HTMLElement>) => {
        const { dataTransfer, currentTarget } = event
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData('text/plain', id)
        dataTransfer.setDragImage(currentTarget.parentElement ?? currentTarget, 0, 0)
        setDragged(id)
      },
      onDragEnd: end,
    }),
    targetOf: ({ id, index }: Checkpoint) => ({
      'data-drag': id === dragged ? 'it' : id === over && one ? sideOf(one, index) : undefined,
      onDragOver: (event: DragEvent) => {
        if (one === undefined) return
        event.preventDefault()
        setOver(id)
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        end()
        if (one && one.index !== index) moveTo(one, index)
      },
    }),
  }
}

function sideOf({ index }: Checkpoint, target: number): 'before' | 'after' {
  return target < index ? 'before' : 'after'
}
