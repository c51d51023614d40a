/** Takes a change back from a message, and says in another one why that failed: the page of the change may be left by then. */

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
