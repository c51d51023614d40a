/** The button that undoes a removal or a bulk change. */
import { Refused } from '../../api/refusals.ts'
import { undoChange } from '../changes/undo.ts'
import { act, actorOf, refusedAnswer } from './act.ts'
import type { Answer, Asked, Button, Command, Given } from './command.ts'
import { countText } from './durations.ts'
import { lines, say, value } from './text.ts'

/** Returns no button if nothing was changed. */
export function undoButton(changeId: string | null): readonly Button[] {
  if (changeId === null) return []
  return [{ label: 'Undo', command: undo.name, given: { change: changeId }, isSingleUse: true }]
}

const undo: Command = {
  name: 'undo',
  summary: 'Undo a change',
  scope: 'users:write',
  isHidden: true,
  run: undoGiven,
}

async function undoGiven(asked: Asked, { change: change_id = '' }: Given): Promise<Answer> {
  const { subject, person } = asked
  const { scopes } = person
  // Changes in the account's other projects return the same error as changes in other accounts.
  const projects = new Set([subject.project.id])
  const asker = { customer: subject.customer, caller: { projects, scopes, actor: actorOf(person) } }
  const undone = await act(asked, { action: 'v1.changes.undo', nouns: { change_id } }, (on) =>
    undoChange(on, asker, change_id),
  )
  if (undone instanceof Refused) return refusedAnswer(undone)
  const { restored, skipped } = undone
  return {
    tone: 'good',
    text: lines(
      say`Undone: ${value(countText(restored, 'key'))} restored.`,
      ...(skipped > 0
        ? [say`Not restored because of later changes: ${value(countText(skipped, 'key'))}.`]
        : []),
    ),
  }
}

export const undoCommands: readonly Command[] = [undo]
