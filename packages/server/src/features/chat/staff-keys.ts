/** Staff commands that change a single user's key. */
import { Refused } from '../../api/refusals.ts'
import { extendUser, pauseUser, resumeUser } from '../keys/time-left.ts'
import { createUser, removeUser } from '../keys/users.ts'
import type { PlanRow } from '../plans/store.ts'
import { findKeySubject, type UserSubject } from '../projects/store/subjects.ts'
import { act, Problem, problem, refusedAnswer } from './act.ts'
import { findPlan, planOption } from './choices.ts'
import type { Answer, Asked, Command, Given, Option } from './command.ts'
import { durationText, LONGEST_TEXT, readDuration } from './durations.ts'
import { describeKey } from './key-text.ts'
import { forUser, userOption } from './staff-user.ts'
import { person, say, secret, value } from './text.ts'
import { undoButton } from './undo.ts'

export const timeOption: Option = {
  name: 'time',
  summary: 'Time, such as 3d or 1d12h',
  kind: 'duration',
  isRequired: true,
  longest: LONGEST_TEXT,
}

const give: Command = {
  name: 'key give',
  summary: 'Create a key for someone',
  scope: 'users:issue',
  options: [
    userOption,
    planOption,
    { ...timeOption, summary: "Time, such as 3d. Default: the plan's duration", isRequired: false },
  ],
  run: giveKey,
}

async function giveKey(asked: Asked, { user = '', plan: typed = '', time }: Given): Promise<Answer> {
  const plan = await findPlan(asked, typed)
  if (plan instanceof Problem) return plan.answer
  const duration = time === undefined ? undefined : readDuration(time)
  if (duration instanceof Problem) return duration.answer
  const { subject, person: by } = asked
  const draft = { chat_id: user, plan_id: plan.id, ...clockOf(plan, duration) }
  const maker = { scopes: by.scopes, issuer: undefined }
  const key = await act(asked, { action: 'v1.projectUsers.create', body: draft }, (on) =>
    createUser(on, subject, draft, maker),
  )
  if (!(key instanceof Refused)) return describeGiven(asked, { user, key })
  return key.reason === 'chat_already_has_key' ? alreadyHas(user) : refusedAnswer(key)
}

/** A custom duration starts at the same event as the plan's duration. */
function clockOf({ clock_basis }: PlanRow, duration: number | undefined) {
  return duration === undefined ? {} : { clock: { basis: clock_basis, duration } }
}

const alreadyHas = (user: string): Answer =>
  problem(
    say`${person(user)} already has a key. Extend it with /key extend, or remove it with /key take first.`,
  )

async function describeGiven(
  asked: Asked,
  { user, key }: { readonly user: string; readonly key: string },
): Promise<Answer> {
  const { deps, subject } = asked
  const made = await findKeySubject(deps.db.readPoint, subject.project.id, key)
  return {
    tone: 'good',
    text: say`${person(user)} has a new key: ${secret(key)}\nThey see it when they press My key.`,
    fields: made === undefined ? [] : await describeKey(asked, made),
  }
}

const take: Command = {
  name: 'key take',
  summary: "Remove someone's key",
  scope: 'users:write',
  options: [userOption],
  run: forUser(async (asked, subject, { user = '' }) => {
    const nouns = { user_key: subject.user.key }
    const { change_id } = await act(asked, { action: 'v1.users.remove', nouns }, (on) =>
      removeUser(on, subject),
    )
    return {
      tone: 'good',
      text: say`${person(user)} no longer has a key. Their runs have ended.`,
      buttons: undoButton(change_id),
    }
  }),
}

const extend: Command = {
  name: 'key extend',
  summary: "Add time to someone's key",
  scope: 'users:write',
  options: [userOption, timeOption],
  run: forUser(async (asked, subject, { time = '' }) => {
    const duration = readDuration(time)
    if (duration instanceof Problem) return duration.answer
    return change(asked, subject, {
      action: 'v1.users.extend',
      body: { duration },
      run: (on) => extendUser(on, subject, duration),
      done: (user) => say`Added ${value(durationText(duration))} to ${person(user)}'s key.`,
    })
  }),
}

const pause: Command = {
  name: 'key pause',
  summary: "Pause someone's key and keep the remaining time",
  scope: 'users:write',
  options: [userOption],
  run: forUser(async (asked, subject, { user = '' }) => {
    const answer = await change(asked, subject, {
      action: 'v1.users.pause',
      run: (on) => pauseUser(on, subject),
      done: () => say`${person(user)}'s key is paused. The remaining time is kept.`,
    })
    const buttons = [{ label: 'Resume', command: resume.name, given: { user } }]
    return answer.tone === 'good' ? { ...answer, buttons } : answer
  }),
}

const resume: Command = {
  name: 'key resume',
  summary: "Resume someone's paused key",
  scope: 'users:write',
  options: [userOption],
  run: forUser(async (asked, subject) =>
    change(asked, subject, {
      action: 'v1.users.resume',
      run: (on) => resumeUser(on, subject),
      done: (user) => say`${person(user)}'s key works again.`,
    }),
  ),
}

type Change = {
  readonly action: string
  readonly body?: unknown
  readonly run: (on: Asked['deps']) => Promise<undefined | Refused>
  readonly done: (chatId: string) => Answer['text']
}

/** Makes the change and shows the changed key. */
async function change(
  asked: Asked,
  subject: UserSubject,
  { action, body, run, done }: Change,
): Promise<Answer> {
  const { key, chat_id } = subject.user
  const refused = await act(asked, { action, nouns: { user_key: key }, body }, run)
  if (refused) return refusedAnswer(refused)
  const { deps, subject: within } = asked
  const after = await findKeySubject(deps.db.readPoint, within.project.id, key)
  return {
    tone: 'good',
    text: done(chat_id ?? ''),
    fields: after === undefined ? [] : await describeKey(asked, after),
  }
}

export const staffKeyCommands: readonly Command[] = [give, take, extend, pause, resume]
