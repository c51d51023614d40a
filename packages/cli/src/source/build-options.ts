/** Combines the options of a command with those stored with the script. */

import { nextOptions } from '@scriptward/obfuscator'
import { v1ScriptsGet } from '@scriptward/sdk'
import type { Cli } from '../cli.ts'
import type { Options } from './project-file.ts'
import type { Target } from './push-target.ts'
import { findByName, sentOptions } from './sending.ts'

type Stored = Pick<Target, 'script' | 'options'>

/** Adds the names to those that the script already moves to the server. */
export async function withServerNames(cli: Cli, target: Stored, names: string): Promise<Options> {
  const options = await uploadOptions(cli, target)
  const all = `${options.server ?? ''},${names}`.split(',').filter((name) => name !== '')
  return { ...options, server: [...new Set(all)].join(',') }
}

/** Options that the server would use to build an upload of this target. */
export async function uploadOptions(cli: Cli, { script, options }: Stored): Promise<Options> {
  return nextOptions(sentOptions(options), await storedOptions(cli, script))
}

/**
 * Adds the script that a push would update, if there is one. Without a project, there is no script to look
 * up.
 */
export async function withScript(cli: Cli, target: Target): Promise<Target> {
  if (target.script !== undefined || target.project === undefined) return target
  const { client } = await cli.service()
  return { ...target, script: await findByName(client, target) }
}

async function storedOptions(cli: Cli, script: string | undefined): Promise<Options> {
  if (script === undefined) return {}
  const { client } = await cli.service()
  const { data } = await v1ScriptsGet({ client, path: { script_id: script }, throwOnError: true })
  return data.script.options as Options
}
