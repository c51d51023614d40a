/** Every command of a chat bot. Commands that aren't in this list don't exist. */
import type { Command } from './command.ts'
import { customerCommands } from './customer.ts'
import { panelCommands } from './panel.ts'
import { roleCommands } from './role.ts'
import { staffAnnounceCommands } from './staff-announce.ts'
import { staffBanCommands } from './staff-bans.ts'
import { staffBulkCommands } from './staff-bulk.ts'
import { staffKeyCommands } from './staff-keys.ts'
import { staffLeakCommands } from './staff-leak.ts'
import { staffLookupCommands } from './staff-lookup.ts'
import { staffReportCommands } from './staff-reports.ts'
import { staffRollbackCommands } from './staff-rollback.ts'
import { undoCommands } from './undo.ts'

const staffCommands: readonly Command[] = [
  ...[staffKeyCommands, staffLookupCommands, staffBanCommands, staffBulkCommands],
  ...[staffReportCommands, staffAnnounceCommands, staffRollbackCommands, staffLeakCommands],
  ...[undoCommands],
].flat()

export const commands: readonly Command[] = [
  ...[customerCommands, roleCommands, panelCommands, staffCommands].flat(),
]

const byName = new Map(commands.map((command) => [command.name, command]))

export function findCommand(name: string): Command | undefined {
  return byName.get(name)
}
