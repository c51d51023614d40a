import { playgroundText as words } from '../messages/en/playground.ts'
import { MAX_SECONDS, type Missing } from './ask-worker.ts'

/** Explains why a result is missing. */
export function Note({ of: { missing } }: { of: Missing }) {
  const text = missing === 'too long' ? words.missing['too long'](MAX_SECONDS) : words.missing[missing]
  return <p className={missing === 'broken' ? 'field-error' : 'hint'}>{text}</p>
}
