/**
 * `scriptward try`: demonstrates the full workflow on a temporary server, and removes everything afterward.
 */

import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { openBrowser } from '../connection/browser.ts'
import { EXAMPLE, publishExample, runExample } from '../trying/example.ts'
import { makeSignedInLink } from '../trying/signed-in-link.ts'
import { type TemporaryServer, withTemporaryServer } from '../trying/temporary-server.ts'

type Flags = CommonFlags & { readonly once?: true; readonly browser: boolean }

export function addTry(program: Command, around: Surroundings): void {
  program
    .command('try')
    .description('Try Scriptward on this computer with a temporary server and an example script')
    .option('--once', 'Stop after the example has run')
    .option('--no-browser', 'Print the URL of the dashboard without opening it')
    .addHelpText('after', HELP)
    .action(acting(around, tryOut))
}

const HELP = `
Starts a server in a temporary folder, protects an example script, runs it as a customer would,
and opens the dashboard with you signed in. Ctrl-C stops the server and removes the folder.`

async function tryOut(cli: Cli, flags: Flags): Promise<void> {
  const progress = cli.progress('Starting a server in a temporary folder')
  try {
    await withTemporaryServer(cli, async (server) => {
      progress.say('Protecting and running an example script')
      const published = await publishExample(server)
      const lines = await runExample(server.url, published, cli.signal)
      progress.end()
      showRun(cli, lines)
      if (!flags.once) await stayOpen(cli, server, flags.browser)
    })
  } catch (error) {
    progress.fail()
    throw error
  }
}

function showRun({ out }: Cli, lines: readonly string[]): void {
  out.json({ source: EXAMPLE, output: lines })
  const indent = (text: string) => `    ${text}`
  out.line('This script is on the server, protected:\n')
  for (const line of EXAMPLE.trimEnd().split('\n')) out.line(indent(line))
  out.line('\nA customer ran it with a key, in Luau:\n')
  for (const line of lines) out.line(indent(line))
}

/** Waits until the user presses Ctrl-C or the server exits. */
async function stayOpen({ out, env, signal }: Cli, server: TemporaryServer, opens: boolean): Promise<void> {
  const link = await makeSignedInLink(server)
  const stopped = new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    const isOpen = opens && (await openBrowser(link.url, env))
    out.json({ dashboard: link.url, url: server.url, token: server.token })
    out.line(`\nDashboard (signed in): ${link.url}`)
    if (isOpen) out.line("If it doesn't open in your browser, open this link yourself.")
    out.line(`Server: ${server.url}`)
    out.line('\nPress Ctrl-C to stop the server and delete everything on it.')
    await Promise.race([stopped, server.ended])
  } finally {
    link.close()
  }
}
