/** Options of `projects edit` and `scripts edit` that turn settings on or off. */

import { type Command, Option } from 'commander'

/** Maps API fields to the descriptions of their options. */
type Switches = Readonly<Record<string, string>>
type Given<Names extends Switches> = { [name in keyof Names]?: boolean }

export function addSwitches(command: Command, switches: Switches): Command {
  for (const [member, words] of Object.entries(switches))
    command.addOption(new Option(`--${member.replaceAll('_', '-')} <on|off>`, words).choices(['on', 'off']))
  return command
}

/** Reads the switches that were set. commander stores them under camel-case names. */
export function switchesOf<Names extends Switches>(switches: Names, flags: object): Given<Names> {
  const given = flags as Readonly<Record<string, unknown>>
  const found = Object.keys(switches).map((member) => [member, given[camelCased(member)]] as const)
  const members = found.filter(([, value]) => value !== undefined)
  return Object.fromEntries(members.map(([member, value]) => [member, value === 'on'])) as Given<Names>
}

function camelCased(member: string): string {
  return member.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
