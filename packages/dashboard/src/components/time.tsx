/** A time as people say it; the exact one is in its title. */
import { exactly, when } from '../lib/when.ts'

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {when(at)}
    </time>
  )
}
