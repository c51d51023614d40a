/** Undoes a bulk change or removal, after showing the number of affected users. */
import { useState } from 'react'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { type Change, useUndoChange } from '../../components/overlays/undo-change.ts'
import { text } from '../../messages/text.ts'
import { changeTitle } from './change-title.ts'

type UndoProps = { readonly change: Change; readonly isMain?: boolean; readonly isLink?: boolean }

export function UndoChangeButton({ change, isMain = false, isLink = false }: UndoProps) {
  const [isAsked, setIsAsked] = useState(false)
  const title = change.state === 'undoing' ? text.changes.goOn : text.frame.undo
  return (
    <>
      <GuardedButton
        needs="users:write"
        className={isMain ? 'main' : isLink ? 'link' : undefined}
        aria-label={isMain ? undefined : text.changes.undoOf(title, changeTitle(change))}
        onClick={() => setIsAsked(true)}
      >
        {title}
      </GuardedButton>
      {isAsked && <UndoDialog change={change} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function UndoDialog({ change, onClose }: { change: Change; onClose: () => void }) {
  const t = text.changes
  const showToast = useToast()
  const undo = useUndoChange()
  return (
    <ConfirmDialog
      title={t.undoTitle(changeTitle(change))}
      words={t.undoWords(change.count)}
      submit={text.frame.undo}
      onConfirm={async () => showToast({ title: await undo(change.id) })}
      onClose={onClose}
    />
  )
}
