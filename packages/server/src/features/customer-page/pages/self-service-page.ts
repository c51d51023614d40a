/** Renders a key's self-service page, and the form that asks for the key. */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type Frame, renderFrame } from '../../../pages/frame.ts'
import { html, type Markup, type Piece } from '../../../pages/html.ts'
import type { Language } from '../../../pages/language.ts'
import { countdown, duration, moment, span } from '../../../pages/times.ts'
import { say } from '../../../pages/words.ts'
import { loaderList } from '../../ads/pages/visitor-parts.ts'
import type { Loader } from '../../ads/pages/visitor-views.ts'

/** The result of the last action. */
export type Notice =
  | 'unknown_key'
  | 'which_project'
  | 'stale_form'
  | 'reset_done'
  | 'reset_refused'
  | 'release_done'
  | 'device_named'
  | 'name_refused'
  | 'session_ended'
  | 'session_gone'
  | 'unlocked'
  | 'unlock_refused'
  | 'too_many'

export type SignInView = Frame & {
  readonly csrf: string
  readonly notice: Notice | undefined
  /** ID of the project in the visitor's link or form. */
  readonly project?: string | undefined
  /** Display name of the project, if it has branding. */
  readonly project_name?: string
  /** Milliseconds until the next allowed attempt. */
  readonly waitMs?: number
}

export type SelfServiceView = Frame & {
  readonly csrf: string
  readonly notice: Notice | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  readonly project_name: string
  readonly masked_key: string
  readonly state: 'active' | 'not_started' | 'grace' | 'paused' | 'expired' | 'blacklisted'
  readonly plan: string | null
  readonly key_expires: number | null
  /** Remaining milliseconds of a paused or unused key. */
  readonly kept: number | null
  readonly grace_until: number | null
  readonly blacklist: { readonly reason: string | null; readonly expires: number | null } | undefined
  readonly executions: number
  readonly max_executions: number | null
  readonly device: readonly string[]
  /** Empty if the key is limited to one device. */
  readonly devices: readonly DeviceView[]
  readonly max_devices: number
  readonly last_reset: number
  readonly reset: ResetView
  readonly sessions: readonly SessionView[]
  /** Loaders of the scripts that the author lists. */
  readonly loaders: readonly Loader[]
  /** Published release notes of these scripts, newest first. */
  readonly news: readonly NewsView[]
  /** The network lock. Set only for an unused ad key. */
  readonly lock: LockView | undefined
}

type LockView = { readonly until: number; readonly kind: 'here' | 'earner' | 'elsewhere' }

type ResetView =
  | { readonly kind: 'possible' | 'disabled' | 'unbound' | 'any_device' | 'blacklisted' }
  | { readonly kind: 'cooldown'; readonly retry_at: number }

type DeviceView = {
  readonly id: string
  readonly name: string | null
  /** Masked. Null if unknown. */
  readonly executor: string | null
  readonly fingerprint: string | null
  readonly last_used_at: number | null
}

type NewsView = {
  readonly script_name: string
  readonly version: number
  readonly created_at: number
  readonly notes: string
}

type SessionView = {
  readonly id: string
  readonly script_name: string
  readonly executor: string
  readonly state: 'ready' | 'detached'
  readonly created_at: number
}

const GOOD: ReadonlySet<Notice> = new Set([
  'reset_done',
  'release_done',
  'device_named',
  'session_ended',
  'unlocked',
])

export function renderSignIn(view: SignInView): string {
  const { language, csrf, notice, waitMs = 0 } = view
  const body = html`
<p class="lead">${say(language, 'own_lead')}</p>
${noticeOf(language, notice)}
${waitMs > 0 && html`<p>${say(language, 'wait')} ${span(language, waitMs)}.</p>`}
<form method="post" action="me" class="key" autocomplete="off">
${hidden(csrf, 'open')}
<label for="key">${say(language, 'own_key')}</label>
<input id="key" name="key" type="text" required maxlength="${MAX_USER_KEY_LENGTH}" autocapitalize="off" autocomplete="off" spellcheck="false">
${projectField(view)}
<p class="action"><button class="main">${say(language, 'own_open')}</button></p>
</form>
<p class="soft">${say(language, 'own_privacy')}</p>`
  const heading = say(language, 'own_title')
  return renderFrame(view, { ...ofProject(heading, view.project_name), heading, body })
}

function ofProject(heading: string, name: string | undefined) {
  return name === undefined ? {} : { above: name, title: `${heading} – ${name}` }
}

function projectField({ language, project, notice }: SignInView): Piece {
  if (notice !== 'which_project')
    return project !== undefined && html`<input type="hidden" name="project" value="${project}">`
  return html`<label for="project">${say(language, 'own_project')}</label>
<input id="project" name="project" type="text" required maxlength="64" autocapitalize="off" autocomplete="off" spellcheck="false">`
}

export function renderSelfService(view: SelfServiceView): string {
  const { language, csrf, notice, project_name } = view
  const heading = say(language, 'own_title')
  const body = html`
${noticeOf(language, notice)}
${facts(view)}
${lockOf(view)}
<h2>${say(language, view.devices.length > 0 ? 'devices' : 'device')}</h2>
${view.devices.length > 0 ? deviceList(view) : deviceOf(view)}
<h2>${say(language, 'running')}</h2>
${sessionsOf(view)}
${newsOf(view)}
${scriptsOf(view)}
<form method="post" action="me" class="action">${hidden(csrf, 'close')}<button>${say(language, 'own_close')}</button></form>`
  return renderFrame(view, { ...ofProject(heading, project_name), heading, body })
}

function facts(view: SelfServiceView): Markup {
  const { language, state, plan, executions, max_executions } = view
  const runs = max_executions === null ? executions : `${executions} / ${max_executions}`
  return html`<dl>
<dt>${say(language, 'own_key')}</dt><dd><code>${view.masked_key}</code></dd>
<dt>${say(language, 'state')}</dt><dd><span class="badge${BAD.has(state) && ' bad'}">${say(language, `state_${state}`)}</span>${blacklistOf(view)}${graceOf(view)}</dd>
${plan !== null && html`<dt>${say(language, 'plan')}</dt><dd>${plan}</dd>`}
<dt>${say(language, state === 'expired' || state === 'grace' ? 'expired_at' : 'expires')}</dt><dd>${endOf(view)}</dd>
<dt>${say(language, 'executions')}</dt><dd>${runs}</dd>
</dl>`
}

function lockOf({ language, csrf, lock }: SelfServiceView): Piece {
  if (lock === undefined) return undefined
  if (lock.kind === 'elsewhere') return html`<p class="note">${say(language, 'locked_elsewhere')}</p>`
  if (lock.kind === 'here')
    return html`<p class="note">${say(language, 'locked')} ${moment(language, lock.until)}.</p>`
  return html`<div class="note"><p>${say(language, 'locked_away')}</p><form method="post" action="me">${hidden(csrf, 'unlock')}<button>${say(language, 'unlock')}</button></form></div>`
}

const BAD: ReadonlySet<SelfServiceView['state']> = new Set(['expired', 'blacklisted', 'paused'])

function graceOf({ language, grace_until }: SelfServiceView): Piece {
  return (
    grace_until !== null && html`<small>${say(language, 'until')} ${moment(language, grace_until)}</small>`
  )
}

function endOf({ language, state, kept, key_expires, now }: SelfServiceView): Piece {
  if (kept === null) return expiryOf(language, key_expires, now)
  return say(language, state === 'paused' ? 'in_span' : 'from_first_use', { span: duration(language, kept) })
}

function expiryOf(language: Language, expires: number | null, now: number): Piece {
  if (expires === null) return say(language, 'never')
  if (expires <= now) return moment(language, expires)
  return html`${moment(language, expires)}<small>${say(language, 'in_span', { span: span(language, expires - now) })}</small>`
}

function blacklistOf({ language, blacklist }: SelfServiceView): Piece {
  if (blacklist === undefined) return undefined
  const { reason, expires } = blacklist
  return html`${reason !== null && html`<small>${reason}</small>`}${expires !== null && html`<small>${say(language, 'until')} ${moment(language, expires)}</small>`}`
}

function deviceOf(view: SelfServiceView): Markup {
  const { language, device, last_reset, reset } = view
  const lines = device.map((line) => line.split(' -> '))
  return html`${
    lines.length > 0 &&
    html`<dl>${lines.map(([value = '', name = '']) => html`<dt>${say(language, partOf(name))}</dt><dd><code>${value}</code></dd>`)}
${last_reset > 0 && html`<dt>${say(language, 'last_reset')}</dt><dd>${moment(language, last_reset)}</dd>`}</dl>`
  }
<p class="soft">${say(language, `reset_${reset.kind}`)}${reset.kind === 'cooldown' && html` ${countdown(language, reset.retry_at - view.now, 'reset')}`}</p>
${resetForm(view)}`
}

/** Each device can be renamed, and can be released if the project and the plan allow it. */
function deviceList(view: SelfServiceView): Markup {
  const { language, devices, max_devices, reset, now, last_reset } = view
  const room = { count: String(devices.length), most: String(max_devices) }
  const kind = reset.kind === 'cooldown' || reset.kind === 'disabled' ? reset.kind : 'possible'
  return html`<p>${say(language, 'devices_bound', room)}</p>
<ul class="cards">${devices.map((one) => deviceCard(view, one))}</ul>
<p class="soft">${say(language, reset.kind === 'blacklisted' ? 'reset_blacklisted' : `devices_${kind}`)}${reset.kind === 'cooldown' && html` ${countdown(language, reset.retry_at - now, 'reset')}`}${last_reset > 0 && html` ${say(language, 'last_reset')}: ${moment(language, last_reset)}.`}</p>`
}

function deviceCard({ language, csrf, reset, devices }: SelfServiceView, one: DeviceView): Markup {
  const place = devices.indexOf(one) + 1
  const title = one.name ?? say(language, 'device_number', { number: String(place) })
  const masked = [one.executor, one.fingerprint].filter((part) => part !== null).join(' ')
  const field = `device-${place}`
  return html`<li><p>${title}<br><small>${masked}${one.last_used_at !== null && html` &middot; ${say(language, 'last_used')} ${moment(language, one.last_used_at)}`}</small></p>
<form method="post" action="me">${hidden(csrf, 'name')}<input type="hidden" name="device" value="${one.id}"><label for="${field}">${say(language, 'device_name')}</label><input id="${field}" name="name" type="text" maxlength="60" autocomplete="off" value="${one.name ?? ''}"><button>${say(language, 'device_save')}</button></form>
${(reset.kind === 'possible' || reset.kind === 'cooldown') && html`<form method="post" action="me">${hidden(csrf, 'release')}<input type="hidden" name="device" value="${one.id}"><button class="danger" aria-label="${say(language, 'release_of', { device: title })}"${reset.kind === 'cooldown' && html` disabled`}>${say(language, 'release')}</button></form>`}</li>`
}

const PARTS = { ip: 'part_ip', fingerprint: 'part_fingerprint', executor: 'part_executor' } as const

function partOf(name: string) {
  return PARTS[name as keyof typeof PARTS] ?? 'part_fingerprint'
}

function resetForm({ language, csrf, reset }: SelfServiceView): Piece {
  if (reset.kind !== 'possible' && reset.kind !== 'cooldown') return undefined
  return html`<form method="post" action="me">${hidden(csrf, 'reset')}<button id="reset"${reset.kind === 'cooldown' && html` disabled`}>${say(language, 'reset')}</button></form>`
}

function sessionsOf({ language, csrf, sessions }: SelfServiceView): Markup {
  if (sessions.length === 0) return html`<p class="soft">${say(language, 'running_none')}</p>`
  return html`<ul class="cards">${sessions.map(
    (
      one,
    ) => html`<li><p>${one.script_name}<br><small>${one.executor} &middot; ${say(language, 'since')} ${moment(language, one.created_at)}${one.state === 'detached' && html` &middot; ${say(language, 'detached')}`}</small></p>
<form method="post" action="me">${hidden(csrf, 'end')}<input type="hidden" name="session" value="${one.id}"><button class="danger" aria-label="${say(language, 'end_of', { script: one.script_name })}">${say(language, 'end')}</button></form></li>`,
  )}</ul>`
}

function newsOf({ language, news }: SelfServiceView): Piece {
  if (news.length === 0) return undefined
  return html`<h2>${say(language, 'own_news')}</h2><ul class="cards">${news.map(
    (one) =>
      html`<li><p><strong>${one.script_name} ${one.version}</strong> <small>${moment(language, one.created_at)}</small></p><p class="lines">${one.notes}</p></li>`,
  )}</ul>`
}

function scriptsOf({ language, state, loaders }: SelfServiceView): Piece {
  if (loaders.length === 0 || BAD.has(state)) return undefined
  return html`<h2>${say(language, 'own_scripts')}</h2><p class="soft">${say(language, 'own_scripts_where')}</p>${loaderList(language, say(language, 'own_scripts_key'), loaders)}`
}

function hidden(
  csrf: string,
  what: 'open' | 'reset' | 'release' | 'name' | 'end' | 'unlock' | 'close',
): Markup {
  return html`<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="do" value="${what}">`
}

function noticeOf(language: Language, notice: Notice | undefined): Piece {
  if (notice === undefined) return undefined
  return html`<p class="note ${GOOD.has(notice) ? 'good' : 'bad'}" role="${GOOD.has(notice) ? 'status' : 'alert'}">${say(language, `notice_${notice}`)}</p>`
}
