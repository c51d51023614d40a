/** Sources as they are read from files. */

import { readFile } from 'node:fs/promises'
import { usage } from './faults.ts'

/** The service takes texts only. */
export async function readSourceText(file: string): Promise<string> {
  const bytes = await readFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usage(`${file}: this is not UTF-8; write other bytes as escapes, such as "\\255".`)
  }
}
