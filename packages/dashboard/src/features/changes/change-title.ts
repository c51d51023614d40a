/** Names a bulk change or removal by what it did. */
import type { Change } from '../../components/overlays/undo-change.ts'
import { durationText } from '../../lib/durations.ts'
import { text } from '../../messages/text.ts'

/** Includes the added time, the tags, or the script or project that was removed. */
export function changeTitle(change: Change): string {
  const t = text.changes
  const { action, details, project_name } = change
  if (action === 'remove-project') return t.named(t.actions[action], project_name)
  if (typeof details.name === 'string') return t.named(t.actions[action], details.name)
  return withDetails(t.actions[action], change)
}

/** Names what the change did to one of its users. */
export function changeOfUser(change: Change): string {
  return withDetails(text.changes.didToUser[change.action] ?? text.changes.actions[change.action], change)
}

function withDetails(title: string, { action, details: { duration, tags } }: Change): string {
  const t = text.changes
  if ((action === 'extend' || action === 'compensate') && typeof duration === 'number')
    return t.extendedBy(title, durationText(duration))
  return Array.isArray(tags) ? t.named(title, tags.join(', ')) : title
}
