/** The page for an invalid request or a server error. It explains what to do next, and reveals no details. */
import { type Frame, renderFrame } from './frame.ts'
import { html } from './html.ts'
import { say } from './words.ts'

/** `unreadable` is an invalid request, and `failed` is a server error. */
export type Problem = 'unreadable' | 'failed' | 'not_found' | 'too_many'

/** Shows `requestId`, so that the operator can find the request in the log. */
export function renderProblem(frame: Frame, problem: Problem, requestId?: string): string {
  const { language } = frame
  const id = requestId && html`<p class="soft">${say(language, 'request_id')} <code>${requestId}</code></p>`
  return renderFrame(frame, {
    heading: say(language, `problem_${problem}`),
    body: html`<p>${say(language, `problem_${problem}_next`)}</p>${id}`,
  })
}
