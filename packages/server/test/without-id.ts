import { shownId } from '../src/api/refusals.ts'
import type { Answer } from './answers.ts'

/** The response body without the requested ID, which its message repeats. */
export function withoutId(text: string, id: string): string {
  return text.replaceAll(JSON.stringify(` ${shownId(id)} `).slice(1, -1), ' <id> ')
}

/** The error in a response, without the requested ID and the request ID. */
export function errorWithoutId({ error }: Pick<Answer, 'error'>, id: string): object {
  return { ...error, request_id: '', message: withoutId(String(error.message), id) }
}
