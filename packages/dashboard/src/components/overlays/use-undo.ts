/** Undoes a change from a toast and reports errors in another one, because the user may have left the page. */

import { text } from '../../messages/text.ts'
import { errorMessages, useChange } from '../../queries/api.ts'
import { useToast } from './toasts.tsx'

export function useUndo<Props>(change: (given: Props) => Promise<unknown>): (given: Props) => void {
  const showToast = useToast()
  const back = useChange(change)
  const explain = (error: unknown) =>
    showToast({ title: text.frame.notUndone(errorMessages(error).join(' ')) })
  return (given) => void back.mutateAsync(given).catch(explain)
}
