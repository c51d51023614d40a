import { shownId } from '../src/api/refusals.ts'
import type { Answer } from './answers.ts'

/** Returns the response body without the requested ID, which the error message repeats. */
export function withoutId(text: string, id: string): string {
  return text.replaceAll(JSON.stringify(` ${shownId(id)} `).slice(1, -1), ' <id> ')
}

/** Returns a response's error without the requested ID and the request ID. */
export function errorWithoutId({ error }: Pick<Answer, 'error'>, id: string): object {
  return { ...error, request_id: '', message: withoutId(String(error.message), id) }
}
