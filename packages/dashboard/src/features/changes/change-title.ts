/** Titles of bulk changes and removals, based on their effects. */
import type { Change } from '../../components/overlays/undo-change.ts'
import { customerName } from '../../lib/customer-name.ts'
import { durationText } from '../../lib/durations.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'

/** Maximum length of each name. A table row must have space for several names. */
const MAX_NAME = 24
/** Maximum number of names in a title. Longer lists end with the number of remaining names. */
const MAX_NAMES = 3

/**
 * Returns a title that includes the affected users, the added time, the tags, or the removed script or
 * project.
 */
export function changeTitle(change: Change): string {
  const t = text.changes
  const { action, details, project_name } = change
  if (action === 'remove-project') return t.named(t.actions[action], project_name)
  if (typeof details.name === 'string') return t.named(t.actions[action], details.name)
  const who = whoOf(change)
  if (who === undefined) return withDetails(t.actions[action], change)
  const didTo = t.didTo[action]
  return didTo ? withDetails(didTo(who), change) : t.named(withDetails(t.actions[action], change), who)
}

/** Formats names as "Ann, Ben and 48 more"; returns undefined if no users were affected. */
function whoOf({ samples, count }: Change): string | undefined {
  const t = text.changes
  const all = samples.map((user) => shortened(customerName(user)))
  const names = count > MAX_NAMES ? all.slice(0, MAX_NAMES - 1) : all
  const left = count - names.length
  const last = left > 0 && names.length > 0 ? t.more(left) : names.pop()
  return last === undefined ? undefined : t.names(names, last)
}

function shortened(name: string): string {
  const letters = [...name]
  return letters.length <= MAX_NAME ? name : `${letters.slice(0, MAX_NAME).join('')}…`
}

/** Describes the effect of the change on one of its users. */
export function changeOfUser(change: Change): string {
  return withDetails(text.changes.didToUser[change.action] ?? text.changes.actions[change.action], change)
}

function withDetails(title: string, { action, details: { duration, tags } }: Change): string {
  const t = text.changes
  if ((action === 'extend' || action === 'compensate') && typeof duration === 'number')
    return t.extendedBy(title, durationText(duration))
  return Array.isArray(tags) ? t.named(title, tags.join(', ')) : title
}

/** Describes whether the change was undone, or how long it can still be undone. */
export function stateOf({ state, undo_until }: Change): string {
  const t = text.changes
  return state === 'done' ? t.undoUntil(exactly(undo_until)) : t.states[state]
}
