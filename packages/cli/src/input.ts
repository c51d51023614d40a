/** Reads a file, or standard input if the path is `-`. */

import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Cli } from './cli.ts'

export function readInput({ stdin }: Pick<Cli, 'stdin'>, file: string): Promise<Buffer> {
  return file === '-' ? buffer(stdin) : readFile(file)
}
