import { shownId } from '../src/api/refusals.ts'
import type { Answer } from './answers.ts'

/** The response body without the requested id, which its message repeats. */
export function withoutId(text: string, id: string): string {
  return text.replaceAll(JSON.stringify(` ${shownId(id)} `).slice(1, -1), ' <id> ')
}

/** The error of a response, without that id and its own request id. */
export function errorWithoutId({ error }: Pick<Answer, 'error'>, id: string): object {
  return { ...error, request_id: '', message: withoutId(String(error.message), id) }
}
