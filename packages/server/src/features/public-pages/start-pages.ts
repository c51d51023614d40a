/** Renders the page at the root, and the page that a loader's URL shows in a browser. */
import { type Frame, renderFrame } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { say } from '../../pages/words.ts'
import { actionOf, loaderList } from '../ads/pages/visitor-parts.ts'

/**
 * Renders the page for the bare host name. It addresses customers first, because authors know where to go.
 */
export function renderHome(frame: Frame): string {
  const { language } = frame
  const link = (href: string, words: string, isMain: boolean) =>
    actionOf(language, { method: 'GET', href, fields: {} }, { words, isMain })
  return renderFrame(frame, {
    heading: say(language, 'home_title'),
    body: html`
<h2>${say(language, 'home_customer')}</h2>
<p>${say(language, 'own_lead')}</p>
${link('me', say(language, 'own_open'), true)}
<h2>${say(language, 'home_author')}</h2>
<p>${say(language, 'home_author_lead')}</p>
${link('dashboard/', say(language, 'home_author_open'), false)}`,
  })
}

/** `address` is the URL that an executor downloads. */
export function renderRun({ address, ...frame }: Frame & { readonly address: string }): string {
  const { language } = frame
  const loader = { script: say(language, 'how_to_run'), address }
  return renderFrame(frame, {
    heading: say(language, 'run_title'),
    body: html`
<p class="lead">${say(language, 'run_lead')}</p>
${loaderList(language, say(language, 'own_scripts_key'), [loader])}
${actionOf(language, { method: 'GET', href: '../me', fields: {} }, { words: say(language, 'own_open'), isMain: false })}`,
  })
}
