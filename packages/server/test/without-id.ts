import { shownId } from '../src/domain/refusals.ts'

/** The text of an answer without the id that was asked for, which its message repeats. */
export function withoutId(text: string, id: string): string {
  return text.replaceAll(JSON.stringify(` ${shownId(id)} `).slice(1, -1), ' <id> ')
}
