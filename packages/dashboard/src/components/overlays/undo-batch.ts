/** Undoes what a change or a removal answered as its batch, and says how that went. */
import { type V1BatchesUndoResponse, v1BatchesUndo } from '@scriptward/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { text } from '../../messages/text.ts'
import { useCall, wordsOfError } from '../../queries/api.ts'
import type { Said } from './toasts.tsx'

export type Batch = V1BatchesUndoResponse['batch']

/** What to say after a change: with a batch, it can be taken back. */
export function useUndoable(say: (said: Said) => void) {
  const undo = useUndoBatch(say)
  return (title: string, batchId: string | null | undefined) =>
    say({ title, ...(batchId && { undo: () => void undo(batchId) }) })
}

export function useUndoBatch(say: (said: Said) => void) {
  const call = useCall()
  const queries = useQueryClient()
  return async (id: string): Promise<void> => {
    const t = text.changes
    try {
      const { batch } = (await v1BatchesUndo({ ...call, path: { batch_id: id } })).data
      say({ title: batch.skipped === 0 ? t.undone : t.undoneBut(batch.skipped) })
    } catch (error) {
      say({ title: text.frame.notUndone(wordsOfError(error).join(' ')) })
    } finally {
      await queries.invalidateQueries()
    }
  }
}
