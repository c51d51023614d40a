/** Undoes a bulk change or removal by its change ID. */
import { type V1ChangesUndoResponse, v1ChangesUndo } from '@scriptward/sdk'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Toast } from './undo-button.tsx'

export type Change = V1ChangesUndoResponse['change']

/** Shows a toast after a change, with an undo button if there is a change ID. */
export function useUndoable(showToast: (toast: Toast) => void) {
  const undo = useUndoChange()
  return (title: string, changeId: string | null | undefined) =>
    showToast({ title, ...(changeId && { undo: () => undo(changeId) }) })
}

/** Returns a function that undoes a change, and returns a sentence about the result. */
export function useUndoChange(): (id: string) => Promise<string> {
  const call = useCall()
  return useChange(async (id: string) => {
    const { change } = (await v1ChangesUndo({ ...call, path: { change_id: id } })).data
    return change.skipped === 0 ? text.frame.undone : text.changes.undoneBut(change.skipped)
  }).mutateAsync
}
