/** Every command of authors in its group, in the order in which `scriptward help` shows them. */

import type { Command } from 'commander'
import type { Surroundings } from './cli.ts'
import { addInit } from './commands/init.ts'
import { addObfuscate } from './commands/obfuscate.ts'
import { addPush } from './commands/push.ts'
import { addTraceback } from './commands/traceback.ts'
import { addVersion } from './commands/version.ts'
import { addActivate, addVersions } from './commands/versions.ts'
import { addWhoami } from './commands/whoami.ts'

export type AddCommand = (program: Command, around: Surroundings) => void

export const groups: readonly { readonly name: string; readonly commands: readonly AddCommand[] }[] = [
  { name: 'Account:', commands: [addWhoami] },
  { name: 'Scripts:', commands: [addInit, addPush, addVersions, addActivate, addTraceback] },
  { name: 'Without a service:', commands: [addObfuscate] },
  { name: 'Help:', commands: [addVersion] },
]
