/** Components shared by the ad pages: steps, forms, keys and notices. */

import { html, type Markup, type Piece } from '../../../pages/html.ts'
import type { Language } from '../../../pages/language.ts'
import { countdown, moment, span } from '../../../pages/times.ts'
import type { Word } from '../../../pages/words/en.ts'
import { say } from '../../../pages/words.ts'
import { startLines } from '../../executions/start-lines.ts'
import type { Notice } from '../notices.ts'
import type { Action, Captcha, Loader, OwnKey, Step } from './visitor-views.ts'

/** How an action is presented. A `pow` captcha is solved when the form is submitted. */
export type ActionStyle = {
  readonly words: string
  readonly isMain?: boolean
  readonly captcha?: Captcha | undefined
  /** Until this time, the action is disabled. */
  readonly allowedAt?: number | undefined
  readonly now?: number
}

export function stepList(language: Language, steps: readonly Step[]): Markup {
  return html`<ol class="steps">${steps.map((step, index) => stepOf(language, step, index + 1))}</ol>`
}

function stepOf(language: Language, { name, provider, state }: Step, number: number): Markup {
  const isPassed = state === 'passed'
  return html`<li class="${state}"${state === 'current' && html` aria-current="step"`}><span class="mark" aria-hidden="true">${isPassed ? '✓' : number}</span><span class="name">${name}<small>${state === 'ahead' || state === 'current' ? provider : say(language, `step_${state}`)}</small></span></li>`
}

export function actionOf(language: Language, { method, href, fields }: Action, look: ActionStyle): Markup {
  const { words, isMain = true, captcha, allowedAt = 0, now = 0 } = look
  const style = isMain ? 'main' : ''
  if (method === 'GET')
    return html`<p class="action"><a class="button ${style}" href="${href}">${words}</a></p>`
  const waitMs = allowedAt - now
  const id = waitMs > 0 ? 'later' : undefined
  return html`<form method="post" action="${href}" class="action"${captcha?.kind === 'pow' && proofOf(language, captcha)}>
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="${style}"${id !== undefined && html` id="${id}" disabled`}>${words}</button>
${id !== undefined && html`<p class="soft">${say(language, 'possible_in')} ${countdown(language, waitMs, id)}</p>`}
</form>`
}

/** Attributes that the page's script uses to solve the puzzle when the form is submitted. */
function proofOf(language: Language, { challenge, bits }: Extract<Captcha, { kind: 'pow' }>): Markup {
  return html` data-challenge="${challenge}" data-bits="${bits}" data-working="${say(language, 'captcha_working')}"`
}

export function captchaNote(language: Language, captcha: Captcha | undefined): Piece {
  if (captcha === undefined) return undefined
  if (captcha.kind === 'pow')
    return html`<p class="soft">${say(language, 'captcha_pow')}</p><noscript><p class="note bad">${say(language, 'captcha_needs_script')}</p></noscript>`
  if (captcha.isSolved) return html`<p class="note good">${say(language, 'captcha_solved')}</p>`
  return html`<p>${say(language, 'captcha_external')}</p>`
}

/** Explains why the visitor can't continue, what to do next, and when. */
export function noticeOf(language: Language, notice: Notice | undefined, now: number): Piece {
  if (notice === undefined) return undefined
  return html`<div class="note bad" role="alert"><strong>${say(language, `refused_${notice.reason}`)}</strong>${nextOf(language, notice, now)}</div>`
}

export function nextOf(language: Language, { reason, allowedAt }: Notice, now: number): Markup {
  const waitMs = (allowedAt ?? now) - now
  return html`<p>${say(language, `refused_${reason}_next` as Word)}${waitMs > 0 && html` ${say(language, 'possible_in')} ${countdown(language, waitMs)}.`}</p>`
}

/** Content with a copy button, which appears when the page's script has loaded. */
type Copied = {
  readonly id: string
  readonly label: string
  readonly text: string
  readonly isLarge?: true
}

function copied(language: Language, { id, label, text, isLarge }: Copied): Markup {
  return html`<div class="copied"><span class="label" id="${id}-label">${label}</span><div class="row"><code id="${id}"${isLarge && html` class="large"`}>${text}</code><button type="button" hidden data-copy="${id}" data-done="${say(language, 'copied')}" data-marked="${say(language, 'marked')}" aria-describedby="${id}-label">${say(language, 'copy')}</button></div></div>`
}

export function keyList(language: Language, keys: readonly OwnKey[], now: number): Piece {
  if (keys.length === 0) return undefined
  return html`<h2>${say(language, keys.length === 1 ? 'your_key' : 'your_keys')}</h2>${keys.map((one, index) => keyOf(language, { key: one, now, id: `key-${index + 1}` }))}`
}

type ShownKey = { readonly key: OwnKey; readonly now: number; readonly id: string; readonly isLarge?: true }

export function keyOf(language: Language, { key: own, now, id, isLarge }: ShownKey): Markup {
  const label = say(language, 'own_key')
  const large = isLarge === undefined ? {} : { isLarge }
  return html`${copied(language, { id, label, text: own.key, ...large })}
<p class="soft">${timeOf(language, own, now)}</p>
${lockOf(language, own, now)}`
}

function timeOf(language: Language, { key_expires, paused }: OwnKey, now: number): Piece {
  if (paused === undefined) return expiryOf(language, key_expires, now)
  const { left } = paused
  const kept = left !== null && html` (${say(language, 'in_span', { span: span(language, left) })})`
  return html`${say(language, 'state_paused')}${kept}`
}

function expiryOf(language: Language, expires: number | null, now: number): Piece {
  if (expires === null) return say(language, 'key_never_expires')
  if (expires <= now) return html`${say(language, 'expired_at')} ${moment(language, expires)}`
  return html`${say(language, 'key_valid_until')} ${moment(language, expires)} (${say(language, 'in_span', { span: span(language, expires - now) })})`
}

function lockOf(language: Language, { locked_until, unlock }: OwnKey, now: number): Piece {
  if (locked_until === null) return undefined
  const until = html`${say(language, 'locked')} ${moment(language, locked_until)}.`
  return html`<div class="note"><p>${locked_until > now ? until : say(language, 'locked_over')}</p>${unlock && actionOf(language, unlock, { words: say(language, 'unlock'), isMain: false })}</div>`
}

/** Shows how to start each script in an executor. `key` is a placeholder if the key itself is hidden. */
export function loaderList(language: Language, key: string, loaders: readonly Loader[]): Markup[] {
  return loaders.map(({ script, address }, index) => {
    return copied(language, { id: `loader-${index + 1}`, label: script, text: startLines(key, address) })
  })
}
