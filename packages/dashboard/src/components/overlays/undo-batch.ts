/** Undoes what a change or a removal answered as its batch, and says how that went. */
import { type V1BatchesUndoResponse, v1BatchesUndo } from '@scriptward/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { text } from '../../messages/text.ts'
import { errorMessages, useCall } from '../../queries/api.ts'
import type { Toast } from './toasts.tsx'

export type Batch = V1BatchesUndoResponse['batch']

/** What to say after a change: with a batch, it can be taken back. */
export function useUndoable(showToast: (toast: Toast) => void) {
  const undo = useUndoBatch(showToast)
  return (title: string, batchId: string | null | undefined) =>
    showToast({ title, ...(batchId && { undo: () => void undo(batchId) }) })
}

export function useUndoBatch(showToast: (toast: Toast) => void) {
  const call = useCall()
  const queries = useQueryClient()
  return async (id: string): Promise<void> => {
    const t = text.changes
    try {
      const { batch } = (await v1BatchesUndo({ ...call, path: { batch_id: id } })).data
      showToast({ title: batch.skipped === 0 ? t.undone : t.undoneBut(batch.skipped) })
    } catch (error) {
      showToast({ title: text.frame.notUndone(errorMessages(error).join(' ')) })
    } finally {
      await queries.invalidateQueries()
    }
  }
}
