/** `scriptward open`: opens the dashboard, by default at this folder's script. */

import { Argument, type Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { openBrowser } from '../connection/browser.ts'
import { usage } from '../faults.ts'

const OF_PROJECT = [
  'overview',
  'script',
  'scripts',
  'users',
  'sessions',
  'denials',
  'statistics',
  'webhooks',
  'ads',
  'settings',
]
const OF_ACCOUNT = ['projects', 'tokens', 'members', 'audit', 'account', 'profile']

type Flags = CommonFlags & { readonly script?: string; readonly print?: true }

export function addOpen(program: Command, around: Surroundings): void {
  program
    .command('open')
    .description("Open this folder's script, or another page, in the dashboard")
    .addArgument(new Argument('[page]', 'Page').choices([...OF_PROJECT, ...OF_ACCOUNT]))
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .option('--script <id>', 'Script ID (default: from scriptward.json)')
    .option('--print', 'Print the URL without opening it')
    .action(acting(around, open))
}

async function open(cli: Cli, flags: Flags, words: Words): Promise<void> {
  const address = `${await cli.address()}/dashboard/#/${await pathOf(cli, flags, words.text(0))}`
  cli.out.json({ address })
  cli.out.line(address)
  if (flags.print || (await openBrowser(address, cli.env))) return
  cli.out.note("Couldn't start a browser. Open the URL yourself.")
}

async function pathOf(cli: Cli, flags: Flags, page: string): Promise<string> {
  if (OF_ACCOUNT.includes(page)) return page === 'projects' ? '' : page
  const settings = (await cli.projectFile())?.settings
  const script = flags.script ?? settings?.script
  if (page === '' && flags.project === undefined && settings?.project === undefined) return ''
  const project = `projects/${await cli.projectId()}`
  if (page === 'script' && script === undefined) throw usage('No script given. Pass --script scr_….')
  const isScript = script !== undefined && (page === 'script' || page === '')
  if (isScript) return `${project}/scripts/${script}`
  return page === 'overview' || page === '' ? project : `${project}/${page}`
}
