import { shownId } from '../src/api/refusals.ts'
import type { Answer } from './answers.ts'

/** The text of an answer without the id that was asked for, which its message repeats. */
export function withoutId(text: string, id: string): string {
  return text.replaceAll(JSON.stringify(` ${shownId(id)} `).slice(1, -1), ' <id> ')
}

/** The error of an answer, without that id and its own. */
export function errorWithoutId({ error }: Pick<Answer, 'error'>, id: string): object {
  return { ...error, request_id: '', message: withoutId(String(error.message), id) }
}
