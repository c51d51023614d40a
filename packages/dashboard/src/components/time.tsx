/** A relative time with the exact time as its title. */
import { exactly, when } from '../lib/when.ts'

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {when(at)}
    </time>
  )
}
