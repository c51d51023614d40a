/** Renders the pages of ad systems, with one function for each kind of view. */
import { type Contents, renderFrame } from '../../../pages/frame.ts'
import { html, type Markup, type Piece } from '../../../pages/html.ts'
import type { Language } from '../../../pages/language.ts'
import { countdown, duration } from '../../../pages/times.ts'
import { count, say } from '../../../pages/words.ts'
import {
  actionOf,
  captchaNote,
  keyList,
  keyOf,
  loaderList,
  nextOf,
  noticeOf,
  stepList,
} from './visitor-parts.ts'
import type {
  KeyView,
  LandingView,
  ReadyView,
  RefusedView,
  SameBrowserView,
  StepView,
  UnavailableView,
  VisitorView,
  WaitingView,
} from './visitor-views.ts'

/** Reload interval for pages without JavaScript that wait for the provider. */
const REFRESH_SECONDS = 4

export function renderVisitorPage(view: VisitorView): string {
  return renderFrame(view, contentsOf(view))
}

function contentsOf(view: VisitorView): Contents {
  switch (view.kind) {
    case 'landing':
      return landing(view)
    case 'step':
      return step(view)
    case 'waiting':
      return waiting(view)
    case 'refused':
      return refused(view)
    case 'ready':
      return ready(view)
    case 'key':
      return key(view)
    case 'same-browser':
      return sameBrowser(view)
    case 'unavailable':
      return unavailable(view)
  }
}

function landing(view: LandingView): Contents {
  const { language, system, project, steps, captcha, notice, now, start, keys } = view
  const isToBeSolved = captcha?.kind === 'external' && !captcha.isSolved
  const words = say(language, view.extends === undefined ? 'start' : 'start_extending')
  const body = html`
<p class="lead">${promiseOf(view)}</p>
${noticeOf(language, notice, now)}
${stepList(language, steps)}
${expectations(view)}
${captchaNote(language, captcha)}
${
  isToBeSolved
    ? html`<p class="action"><a class="button main" href="${captcha.href}">${say(language, 'captcha_open')}</a></p>`
    : actionOf(language, start, { words, captcha })
}
${keyList(language, keys, now)}`
  return { title: `${system} – ${project}`, above: project, heading: system, body, query: queryOf(start) }
}

/**
 * The query parameters to keep when the landing page is reloaded: the device ticket, and `again`, which keeps
 * the visitor on the landing page.
 */
function queryOf({ fields }: LandingView['start']): string {
  return fields.d === undefined ? 'again=1&' : `again=1&d=${encodeURIComponent(fields.d)}&`
}

function promiseOf({ language, steps, key_duration, extends: extended }: LandingView): Markup {
  const pass = count(language, 'pass_steps', steps.length)
  const lasts = duration(language, key_duration)
  const outcome = extended === undefined ? 'promise_key' : 'promise_extension'
  return html`${pass} ${say(language, outcome, { duration: lasts })}`
}

function expectations({ language, isForDevice, extends: extended }: LandingView): Markup {
  const lines = [
    say(language, 'expect_return'),
    say(language, isForDevice ? 'expect_device' : 'expect_network'),
    ...(extended === undefined
      ? []
      : [say(language, 'expect_most', { duration: duration(language, extended.max_duration) })]),
  ]
  return html`<ul class="soft">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
}

function step(view: StepView): Contents {
  const { language, steps, now, notice, go, isOut, minimum, fallback } = view
  const at = steps.findIndex(({ state }) => state === 'current')
  const heading = say(language, 'step_of', { number: at + 1, total: steps.length })
  const body = html`
${noticeOf(language, notice, now)}
${stepList(language, steps)}
${isOut && notice === undefined && html`<p class="note">${say(language, 'step_out')}</p>`}
<p class="soft">${say(language, 'step_how', { duration: duration(language, minimum) })}</p>
${actionOf(language, go, { words: say(language, isOut ? 'go_again' : 'go', { step: steps[at]?.name ?? '' }) })}
${fallback && actionOf(language, fallback.go, { words: say(language, 'go_fallback', { step: fallback.name, provider: fallback.provider }), isMain: false })}
<p class="soft action">${say(language, 'time_left')} ${countdown(language, view.expires_at - now)}</p>`
  return { ...ofSystem(view), heading, body }
}

function waiting(view: WaitingView): Contents {
  const { language, steps, poll, until, now } = view
  const body = html`
${stepList(language, steps)}
<p class="note" role="status" data-poll="${poll}"><span class="spin" aria-hidden="true"></span>${say(language, 'waiting_how')}</p>
<p class="soft">${say(language, 'waiting_longest')} ${countdown(language, until - now)}</p>`
  return { ...ofSystem(view), heading: say(language, 'waiting'), body, refreshSeconds: REFRESH_SECONDS }
}

function refused(view: RefusedView): Contents {
  const { language, notice, now, back, keys } = view
  const body = html`
<div class="note bad" role="alert">${nextOf(language, notice, now)}</div>
${back && actionOf(language, back, { words: say(language, 'back'), isMain: false })}
${keyList(language, keys, now)}`
  return { ...ofSystem(view), heading: say(language, `refused_${notice.reason}`), body }
}

function ready(view: ReadyView): Contents {
  const { language, steps, claim, notice, now, expires_at, extends: extended } = view
  const body = html`
${noticeOf(language, notice, now)}
${stepList(language, steps)}
<p>${say(language, extended === undefined ? 'ready_how' : 'ready_how_extending')}</p>
${actionOf(language, claim, { words: say(language, extended === undefined ? 'claim' : 'claim_extension') })}
<p class="soft action">${say(language, 'time_left')} ${countdown(language, expires_at - now)}</p>`
  return { ...ofSystem(view), heading: say(language, 'ready'), body }
}

function key(view: KeyView): Contents {
  const { language, key: own, now, isExtended, isForDevice, loaders, again } = view
  const heading = say(language, isExtended ? 'key_extended' : 'key_ready')
  const body = html`
${keyOf(language, { key: own, now, id: 'key', isLarge: true })}
<p>${say(language, isForDevice ? 'key_for_device' : 'key_binds')}</p>
${loadersOf(language, own.key, loaders)}
${again && html`<h2>${say(language, 'longer')}</h2>${actionOf(language, again.action, { words: say(language, 'again'), isMain: false, allowedAt: again.allowedAt, now })}`}`
  return { ...ofSystem(view), heading, body }
}

function loadersOf(language: Language, ownKey: string, loaders: KeyView['loaders']): Piece {
  if (loaders.length === 0) return undefined
  return html`<h2>${say(language, 'how_to_run')}</h2><p class="soft">${say(language, 'how_to_run_where')}</p>${loaderList(language, ownKey, loaders)}`
}

function sameBrowser({ language, reason }: SameBrowserView): Contents {
  return {
    heading: say(language, 'same_browser'),
    body: html`<p>${say(language, `same_browser_${reason}`)}</p><p>${say(language, 'same_browser_next')}</p>`,
  }
}

function unavailable({ language, reason, system }: UnavailableView): Contents {
  const heading = say(language, `unavailable_${reason}`)
  return {
    heading,
    ...(system === undefined ? {} : { above: system, title: `${heading} – ${system}` }),
    body: html`<p>${say(language, `unavailable_${reason}_next`)}</p>`,
  }
}

function ofSystem({ system, project }: { readonly system: string; readonly project: string }) {
  return { above: `${project} · ${system}` }
}
