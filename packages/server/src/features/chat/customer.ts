/** Customer commands and buttons, which everyone may use for their own key. */
import { type Denial, type DenialReason, denial, MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Refused } from '../../api/refusals.ts'
import {
  describeOwn,
  findOwn,
  listOwnScripts,
  type OwnKey,
  resetOwnFingerprint,
} from '../customer-page/self-service.ts'
import { refuseReset } from '../devices/manage-devices.ts'
import { wordDenial } from '../executions/denials/denial-words.ts'
import { listUserDenials, UNREACHABLE_VALUE } from '../executions/denials/denials.ts'
import { startLines } from '../executions/start-lines.ts'
import { linkUser } from '../keys/users.ts'
import { findPlanOf } from '../plans/store.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { act, findLinked, problem, refusedAnswer } from './act.ts'
import type { Answer, Asked, Command, Given } from './command.ts'
import { expiryText } from './key-text.ts'
import { block, lines, say, secret, type Text, time, value } from './text.ts'

/** Discord's message size limit leaves room for about this many scripts. */
const MAX_SCRIPTS = 10
const MAX_DENIALS = 3
/** Rate limits apply to the chat account rather than an IP address. */
const addressOf = ({ person }: Asked) => `chat ${person.id}`

const redeem: Command = {
  name: 'redeem',
  summary: 'Link a license key to your account',
  scope: null,
  options: [
    { name: 'key', summary: 'Your license key', kind: 'key', isRequired: true, longest: MAX_USER_KEY_LENGTH },
  ],
  run: redeemKey,
}

async function redeemKey(asked: Asked, { key = '' }: Given): Promise<Answer> {
  const { deps, subject, person } = asked
  const found = await findOwn(deps, { key: key.trim(), project: subject.project.id }, addressOf(asked))
  if (found instanceof Refused) return refusedAnswer(found)
  const unknown = problem('This key is not valid here. Check it, and try again.')
  if (found === undefined || found === 'several') return unknown
  if (found.user.chat_id === person.id)
    return { tone: 'good', text: say`This key is already linked to your account.` }
  const body = { chat_id: person.id, force: false }
  const nouns = { user_key: found.user.key }
  const refused = await act(asked, { action: 'v1.users.link', nouns, body }, (on) =>
    linkUser(on, found, body),
  )
  if (refused?.reason === 'user_already_linked')
    return problem('This key belongs to another account. If you think this is a mistake, ask the staff.')
  if (refused?.reason === 'chat_already_has_key')
    return problem('Your account already has another key. Ask the staff to unlink it first.')
  if (refused) return refusedAnswer(refused)
  return {
    tone: 'good',
    text: say`Your key is linked to your account.`,
    buttons: [{ label: 'Get script', style: 'main', command: 'script' }],
  }
}

const key: Command = {
  name: 'mykey',
  summary: 'Show your license key',
  scope: null,
  run: ownKey(describeKey),
}
const script: Command = {
  name: 'script',
  summary: 'Get the script with your key filled in',
  scope: null,
  run: ownKey(loaderLines),
}
const reset: Command = {
  name: 'reset',
  summary: 'Unbind your device, so you can use your key on another one',
  scope: null,
  run: ownKey(resetDevice),
}
const why: Command = {
  name: 'denied',
  summary: 'Show why your last runs were denied',
  scope: null,
  run: ownKey(explainDenials),
}

type ForOwn = (asked: Asked, subject: UserSubject) => Promise<Answer>

/** Runs `answer` for the key that is linked to the caller's chat account. */
function ownKey(answer: ForOwn): Command['run'] {
  return async (asked) => {
    const own = await findLinked(asked, asked.person.id)
    return own ? answer(asked, own) : NO_KEY
  }
}

export const NO_KEY: Answer = {
  tone: 'bad',
  text: say`No key is linked to your account yet.`,
  buttons: [{ label: 'Redeem key', style: 'main', command: 'redeem' }],
}

async function describeKey(asked: Asked, subject: UserSubject): Promise<Answer> {
  const own = await describeOwn(asked.deps, subject, '')
  const device = own.devices.length > 0 ? `${own.devices.length} of ${own.max_devices}` : boundText(own)
  return {
    title: 'Your key',
    text: secretLine(subject),
    fields: [
      { name: 'Status', text: statusOf(own) },
      { name: 'Expires', text: expiryText(own) },
      { name: 'Plan', text: say`${value(own.plan ?? 'None')}` },
      { name: 'Device', text: say`${value(device)}` },
    ],
    buttons: [
      { label: 'Get script', style: 'main', command: 'script' },
      { label: 'Reset device', command: 'reset' },
    ],
  }
}

const secretLine = ({ user }: UserSubject): Text => say`${secret(user.key)}`
const boundText = ({ device }: OwnKey) => (device.length > 0 ? 'Bound' : 'Not bound yet')

const STATES: Readonly<Record<OwnKey['state'], string>> = {
  active: 'Active',
  not_started: 'Not started',
  grace: 'Expired (in grace period)',
  paused: 'Paused',
  expired: 'Expired',
  blacklisted: 'Blocked',
}

function statusOf({ state, blacklist }: OwnKey): Text {
  const reason = blacklist?.reason
  return reason ? say`${STATES[state]}: ${value(reason)}` : say`${STATES[state]}`
}

async function loaderLines({ deps, clientUrl }: Asked, subject: UserSubject): Promise<Answer> {
  const { user } = subject
  const shown = (await listOwnScripts(deps, subject)).slice(0, MAX_SCRIPTS)
  if (shown.length === 0) return problem('No script is available at the moment.')
  return {
    title: 'Your script',
    text: say`Paste these lines into your executor. They contain your key, so keep them to yourself.`,
    fields: shown.map(({ id, name }) => ({
      name,
      text: say`${block(startLines(user.key, `${clientUrl}/loader/${id}`))}`,
    })),
  }
}

async function resetDevice(asked: Asked, subject: UserSubject): Promise<Answer> {
  const nouns = { user_key: subject.user.key }
  const refused = await act(asked, { action: 'v1.users.reset', nouns, body: { force: false } }, (on) =>
    resetOwnFingerprint(on, subject, addressOf(asked)),
  )
  if (!refused)
    return { tone: 'good', text: say`Your device was reset. Your key binds to the next device you use.` }
  const { retry_at } = refused.members
  if (refused.reason === 'fingerprint_reset_on_cooldown' && retry_at !== undefined)
    return problem(say`You can reset your device again ${time(retry_at)}.`)
  return problem(RESET_WORDS[refused.reason] ?? "Your device can't be reset. Ask the staff.")
}

const RESET_WORDS: Readonly<Partial<Record<string, string>>> = {
  no_fingerprint_assigned:
    'No device is bound to your key, so there is nothing to reset. Just run the script.',
  fingerprint_resets_disabled: 'Only the staff can reset devices here. Ask them for help.',
  rate_limited: 'You have reset your device several times in a row. Try again later.',
  forbidden: "Your key is blocked, so its device can't be reset.",
}

async function explainDenials(asked: Asked, subject: UserSubject): Promise<Answer> {
  const fields = await denialFields(asked, subject)
  if (fields.length === 0)
    return { tone: 'good', text: say`None of your runs were denied in the last 30 days.` }
  return {
    title: 'Why your runs were denied',
    text: say``,
    fields,
    buttons: [{ label: 'Reset device', command: 'reset' }],
  }
}

/** A user's latest denials, newest first. */
export async function denialFields(
  asked: Asked,
  { project, user }: UserSubject,
): Promise<NonNullable<Answer['fields']>> {
  const denials = (await listUserDenials(asked.deps, user)).slice(0, MAX_DENIALS)
  const { db, now } = asked.deps
  const refused = refuseReset(project, user, await findPlanOf(db.readPoint, user), now())
  return denials.map((one) => ({
    name: one.client.executor || 'Run',
    text: lines(
      say`${time(one.last_at)}: ${value(denialWords(asked, one, refused))}`,
      ...waitLine(asked, one),
    ),
  }))
}

type ListedDenial = Awaited<ReturnType<typeof listUserDenials>>[number]
type RefusedReset = ReturnType<typeof refuseReset>

/** Empty unless the customer still has to wait. */
function waitLine({ deps }: Asked, { allowed_at }: ListedDenial): Text[] {
  return allowed_at === null || allowed_at <= deps.now() ? [] : [say`Try again ${time(allowed_at)}.`]
}

/**
 * Returns the script's message in the caller's language. Waiting times count from now. If the wait is over,
 * they count from the run.
 */
function denialWords({ deps, language }: Asked, listed: ListedDenial, refused: RefusedReset): string {
  const { reason, value: shown, client, allowed_at, last_at } = listed
  const isOver = allowed_at !== null && allowed_at <= deps.now()
  const now = isOver && reason !== 'fingerprint_mismatch' ? last_at : deps.now()
  const retry_after = Math.ceil(((allowed_at ?? now) - now) / 1000)
  const answer = denial(reason as DenialReason, { retry_after, details: detailsOf(listed, refused) })
  const host = { now, language, isKeyGiven: true, executor: client.executor, runtime: client.runtime }
  const { message } = wordDenial(answer, host as Parameters<typeof wordDenial>[1])
  return reason === 'max_executions' && shown !== null ? `${message} (${shown})` : message
}

function detailsOf(
  { reason, value: shown, allowed_at }: ListedDenial,
  refused: RefusedReset,
): NonNullable<Denial['details']> {
  if (reason === 'key_expired') return { expired_at: Date.parse(shown ?? '') }
  if (reason === 'blacklisted') return { blacklist_reason: shown, blacklist_expires: allowed_at }
  if (reason === 'join_required') return { chat_linked: true, unreachable: shown === UNREACHABLE_VALUE }
  if (reason === 'max_instances') return { max: Number(shown?.replace(/\D/g, '')) }
  // Whether the device can be reset may have changed since the run.
  return { can_reset: refused === undefined, reset_available_at: refused?.members.retry_at ?? null }
}

export const customerCommands: readonly Command[] = [redeem, key, script, reset, why]
