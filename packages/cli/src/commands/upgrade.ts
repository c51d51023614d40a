/** `scriptward upgrade --check`: checks npm for a newer version. No other command checks for updates. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isNewer } from '@scriptward/client/version-order'
import type { Command } from 'commander'
import { explainNpm, npmCommand, QUICK_RETRIES } from '../../../scriptward/bin/npm.mjs'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { Fault, UNAVAILABLE, usage } from '../faults.ts'
import { readVersion } from '../version.ts'

type Failure = Error & { readonly code?: string | number; readonly stderr?: string }
type Flags = CommonFlags & { readonly check?: true }

const TIMEOUT_MS = 30_000
const run = promisify(execFile)

export function addUpgrade(program: Command, around: Surroundings): void {
  program
    .command('upgrade')
    .description('Check npm for a newer version')
    .option('--check', 'Look up the latest version on npm')
    .addHelpText('after', HELP)
    .action(acting(around, upgrade))
}

const HELP = `
Only this command checks for new versions, using npm and its settings. It doesn't install them:
'/guide/upgrade' on your server explains how to upgrade without losing data.`

async function upgrade({ out, env, signal }: Cli, { check }: Flags): Promise<void> {
  if (!check) throw usage("Scriptward doesn't upgrade itself. Pass --check to look for a newer version.")
  const { version } = readVersion()
  const newest = await newestVersion(env, signal)
  const isOld = isNewer(newest, version)
  out.json({ version, newest, is_newer: isOld })
  out.line(
    isOld
      ? `scriptward ${newest} is available; this is ${version}. Make a backup, then run: npm install scriptward@${newest}`
      : `scriptward ${version} is the latest version.`,
  )
}

/** Uses npm, so that the user's registry, proxy and certificate settings apply. */
async function newestVersion(env: Surroundings['env'], signal: AbortSignal): Promise<string> {
  const { platform, execPath } = process
  const [program = '', ...words] = npmCommand({ platform, execPath, env })
  try {
    const options = { env: { ...env }, signal, timeout: TIMEOUT_MS }
    const view = ['view', 'scriptward', 'version', '--json', ...QUICK_RETRIES]
    const { stdout } = await run(program, [...words, ...view], options)
    return String(JSON.parse(stdout))
  } catch (error) {
    if (signal.aborted) throw error
    throw new Fault(UNAVAILABLE, `couldn't get the latest version from npm: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const { code, stderr = '', message } = error as Failure
  if (code === 'ENOENT') return 'it is not installed. Install npm and try again.'
  const explained = explainNpm(stderr)
  return explained === undefined ? (message.split('\n', 1)[0] ?? message) : `it ${explained}.`
}
