/** Takes a change back from a message, and says in another one why that failed: the page of the change may be left by then. */

import { text } from '../../messages/text.ts'
import { useChange, wordsOfError } from '../../queries/api.ts'
import { useToast } from './toasts.tsx'

export function useUndo<Props>(change: (given: Props) => Promise<unknown>): (given: Props) => void {
  const say = useToast()
  const back = useChange(change)
  const explain = (error: unknown) => say({ title: text.frame.notUndone(wordsOfError(error).join(' ')) })
  return (given) => void back.mutateAsync(given).catch(explain)
}
