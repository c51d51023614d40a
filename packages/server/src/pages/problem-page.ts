/** What somebody sees when his request could not be read, or the service failed: what to do next, and no detail. */
import { type Frame, renderFrame } from './frame.ts'
import { html } from './html.ts'
import { say } from './words.ts'

/** `unreadable` is the request's fault, `failed` the service's. */
export type Problem = 'unreadable' | 'failed' | 'not_found' | 'too_many'

export function renderProblem(frame: Frame, problem: Problem): string {
  const { language } = frame
  return renderFrame(frame, {
    heading: say(language, `problem_${problem}`),
    body: html`<p>${say(language, `problem_${problem}_next`)}</p>`,
  })
}
