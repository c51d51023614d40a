/**
 * Examples for the help of each command. A command group shows the first example of each of its first few
 * commands.
 */
import type { Command } from 'commander'

const MAX_PER_GROUP = 3

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  serve: ['scriptward serve', 'SCRIPTWARD_PORT=9000 scriptward serve'],
  config: ['scriptward config', 'scriptward config | grep BACKUP'],
  doctor: ['scriptward doctor', 'scriptward doctor --verify-audit'],
  backup: [
    'scriptward backup',
    'scriptward backup /backups/ --keep 14',
    'scriptward backup - | ssh backup@example.com "cat > scriptward.tar.zst"',
  ],
  restore: [
    'scriptward restore scriptward.tar.zst',
    'scriptward restore scriptward.tar.zst.age --private-key backup.key',
  ],
  'backup-keys': ['scriptward backup-keys > backup.key'],
  'move-to': [
    'scriptward move-to postgres://scriptward:secret@db.example.com/scriptward',
    'SCRIPTWARD_DATABASE_URL=postgres://… scriptward move-to',
  ],
  'admin setup-link': ['scriptward admin setup-link', 'scriptward admin setup-link ada@example.com'],
  'admin customers list': ['scriptward admin customers list', 'scriptward admin customers list --limit 20'],
  'admin customers create': ['scriptward admin customers create --email ada@example.com --tier 2'],
  'admin customers get': ['scriptward admin customers get ada@example.com'],
  'admin customers edit': [
    'scriptward admin customers edit ada@example.com --tier 2 --plan-expires 2027-01-31',
    'scriptward admin customers edit cus_… --admin true',
  ],
  'admin customers blacklist': [
    'scriptward admin customers blacklist ada@example.com --reason unpaid --expires 2027-01-31',
  ],
  'admin customers unblacklist': ['scriptward admin customers unblacklist ada@example.com'],
  'admin customers reset-key': ['scriptward admin customers reset-key ada@example.com'],
  'admin customers remove': ['scriptward admin customers remove ada@example.com --yes'],
  'admin tiers list': ['scriptward admin tiers list'],
  'admin tiers put': ['scriptward admin tiers put 2 --name Pro --max-users 5000 --max-projects 10'],
  'admin tiers remove': ['scriptward admin tiers remove 2 --yes'],
  'admin system get': ['scriptward admin system get --json'],
  'admin mail test': ['scriptward admin mail test --to ada@example.com'],
  'admin backups list': ['scriptward admin backups list'],
  'admin backups make': ['scriptward admin backups make'],
  'admin backups download': [
    'scriptward admin backups download scriptward-2026-09-21T14-13-20-000Z.tar.zst.age',
  ],
  'admin backups remove': [
    'scriptward admin backups remove scriptward-2026-09-21T14-13-20-000Z.tar.zst.age --yes',
  ],
  'admin people list': ['scriptward admin people list'],
  'admin people get': ['scriptward admin people get ada@example.com'],
  'admin people reset': ['scriptward admin people reset ada@example.com'],
  'admin people objection': ['scriptward admin people objection ada@example.com --account cus_…'],
  'admin people disable': ['scriptward admin people disable ada@example.com'],
  'admin people enable': ['scriptward admin people enable ada@example.com'],
  'admin audit list': [
    'scriptward admin audit list --limit 20',
    'scriptward admin audit list --account cus_… --format csv',
  ],
  'admin keys list': ['scriptward admin keys list'],
  'admin keys rotate': ['scriptward admin keys rotate'],
}

/** Adds the examples to the help of this command and of all its subcommands. */
export function addExamples(command: Command): void {
  const examples = examplesOf(command)
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n  ${examples.join('\n  ')}`)
  for (const one of command.commands) addExamples(one)
}

function examplesOf(command: Command): readonly string[] {
  const own = EXAMPLES[pathOf(command)]
  if (own !== undefined || command.parent === null) return own ?? []
  return command.commands.flatMap((one) => examplesOf(one).slice(0, 1)).slice(0, MAX_PER_GROUP)
}

/** The full name of the command, without the program name. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim()
}
