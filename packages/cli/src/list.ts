// Every command of the author's command line, in the order in which `scriptward help` shows them.

import type { Command } from 'commander'
import { addObfuscate } from './commands/obfuscate.ts'
import { addTrace } from './commands/trace.ts'
import { addUpload } from './commands/upload.ts'

export type AddCommand = (program: Command) => void

export const commands: readonly AddCommand[] = [addObfuscate, addUpload, addTrace]
