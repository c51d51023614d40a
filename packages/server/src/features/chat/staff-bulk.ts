/** Staff commands that change all keys of a plan after a preview. */
import { Refused } from '../../api/refusals.ts'
import { type BulkAction, changeSome, previewSome } from '../changes/change-some.ts'
import type { PlanRow } from '../plans/store.ts'
import { act, Problem, problem, refusedAnswer } from './act.ts'
import { findPlan, planOption } from './choices.ts'
import type { Answer, Asked, Command, Given, Option } from './command.ts'
import { countText, durationText, readDuration, shortDuration } from './durations.ts'
import { timeOption } from './staff-keys.ts'
import { say, strong, type Text, value } from './text.ts'
import { undoButton } from './undo.ts'

/** A bulk action on all keys of a plan, and the messages that describe it. */
type Bulk = {
  readonly name: 'extend-all' | 'pause-all'
  readonly summary: string
  readonly options: readonly Option[]
  readonly members: (given: Given) => BulkAction['members'] | Problem
  readonly action: BulkAction['action']
  readonly preview: (keys: Text, members: BulkAction['members']) => Text
  readonly done: (keys: Text, members: BulkAction['members']) => Text
  /** Describes the keys that the action skips. */
  readonly leftOut: string
  readonly button: string
}

const extendAll: Bulk = {
  name: 'extend-all',
  summary: 'Add time to all keys on a plan',
  options: [planOption, timeOption],
  action: 'extend',
  members: ({ time = '' }) => {
    const duration = readDuration(time)
    return duration instanceof Problem ? duration : { duration }
  },
  preview: (keys, { duration = 0 }) => say`This adds ${value(durationText(duration))} to ${keys}.`,
  done: (keys, { duration = 0 }) => say`Added ${value(durationText(duration))} to ${keys}.`,
  leftOut: 'Keys that have expired or never expire are skipped.',
  button: 'Extend',
}

const pauseAll: Bulk = {
  name: 'pause-all',
  summary: 'Pause all keys on a plan and keep their remaining time',
  options: [planOption],
  action: 'pause',
  members: () => ({}),
  preview: (keys) => say`This pauses ${keys}. Their runs end, and the remaining time is kept.`,
  done: (keys) => say`Paused ${keys}.`,
  leftOut: 'Keys that have expired or are already paused are skipped.',
  button: 'Pause',
}

function commandsOf(bulk: Bulk): readonly Command[] {
  const { name, summary, options } = bulk
  const scope = 'users:bulk'
  return [
    { name: `key ${name}`, summary, scope, options, run: (asked, given) => preview(bulk, asked, given) },
    { name: confirmOf(bulk), summary, scope, isHidden: true, run: (asked, given) => run(bulk, asked, given) },
  ]
}

const confirmOf = ({ name }: Bulk) => `confirm ${name}`

type Order = { readonly plan: PlanRow; readonly action: BulkAction }

async function orderOf(bulk: Bulk, asked: Asked, given: Given): Promise<Order | Problem> {
  const plan = await findPlan(asked, given.plan ?? '')
  if (plan instanceof Problem) return plan
  const members = bulk.members(given)
  if (members instanceof Problem) return members
  return { plan, action: { action: bulk.action, members, filter: { plan_id: plan.id } } }
}

async function preview(bulk: Bulk, asked: Asked, given: Given): Promise<Answer> {
  const order = await orderOf(bulk, asked, given)
  if (order instanceof Problem) return order.answer
  const { plan, action } = order
  const found = await previewSome(asked.deps, asked.subject, action)
  if (found instanceof Refused) return refusedAnswer(found)
  if (found.count === 0)
    return problem(say`There is nothing to do for keys on ${strong(plan.name)}. ${bulk.leftOut}`)
  const { duration } = action.members
  const time = duration === undefined ? {} : { time: shortDuration(duration) }
  return {
    title: bulk.summary,
    text: say`${bulk.preview(keysOn(found.count, plan), action.members)}\n${bulk.leftOut}`,
    buttons: [
      {
        label: bulk.button,
        style: 'danger',
        command: confirmOf(bulk),
        given: { plan: plan.id, ...time },
        isSingleUse: true,
      },
    ],
  }
}

async function run(bulk: Bulk, asked: Asked, given: Given): Promise<Answer> {
  const order = await orderOf(bulk, asked, given)
  if (order instanceof Problem) return order.answer
  const { plan, action } = order
  const { members, ...body } = action
  const changed = await act(asked, { action: 'v1.projectUsers.bulk', body: { ...body, ...members } }, (on) =>
    changeSome(on, asked.subject, action),
  )
  if (changed instanceof Refused) return refusedAnswer(changed)
  return {
    tone: 'good',
    text: bulk.done(keysOn(changed.count, plan), members),
    buttons: undoButton(changed.change_id),
  }
}

function keysOn(count: number, { name }: PlanRow): Text {
  return say`${value(countText(count, 'key'))} on ${strong(name)}`
}

export const staffBulkCommands: readonly Command[] = [extendAll, pauseAll].flatMap(commandsOf)
