/** Undoes a bulk change or removal by its change ID, and reports the result. */
import { type V1ChangesUndoResponse, v1ChangesUndo } from '@scriptward/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { text } from '../../messages/text.ts'
import { errorMessages, useCall } from '../../queries/api.ts'
import type { Toast } from './toasts.tsx'

export type Change = V1ChangesUndoResponse['change']

/** Shows a toast after a change; it can be undone if there is a change ID. */
export function useUndoable(showToast: (toast: Toast) => void) {
  const undo = useUndoChange(showToast)
  return (title: string, changeId: string | null | undefined) =>
    showToast({ title, ...(changeId && { undo: () => void undo(changeId) }) })
}

export function useUndoChange(showToast: (toast: Toast) => void) {
  const call = useCall()
  const queries = useQueryClient()
  return async (id: string): Promise<void> => {
    const t = text.changes
    try {
      const { change } = (await v1ChangesUndo({ ...call, path: { change_id: id } })).data
      showToast({ title: change.skipped === 0 ? t.undone : t.undoneBut(change.skipped) })
    } catch (error) {
      showToast({ title: text.frame.notUndone(errorMessages(error).join(' ')) })
    } finally {
      await queries.invalidateQueries()
    }
  }
}
