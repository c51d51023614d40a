/** Takes a change back from a message, and says in another one why that failed: the page of the change may be left by then. */
import { useChange, wordsOfError } from '../api.ts'
import { text } from '../text/text.ts'
import { useSay } from './toasts.tsx'

export function useTakeBack<Given>(change: (given: Given) => Promise<unknown>): (given: Given) => void {
  const say = useSay()
  const back = useChange(change)
  const explain = (error: unknown) => say({ title: text.frame.notUndone(wordsOfError(error).join(' ')) })
  return (given) => void back.mutateAsync(given).catch(explain)
}
