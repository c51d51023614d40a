/** Every command of a chat bot. A command that isn't listed doesn't exist. */
import type { Command } from './command.ts'
import { customerCommands } from './customer.ts'
import { panelCommands } from './panel.ts'

export const commands: readonly Command[] = [...customerCommands, ...panelCommands]

const byName = new Map(commands.map((command) => [command.name, command]))

export function findCommand(name: string): Command | undefined {
  return byName.get(name)
}
