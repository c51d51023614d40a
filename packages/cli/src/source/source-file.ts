/** Sources as they are read from files. */

import { readFile } from 'node:fs/promises'
import { usage } from '../faults.ts'

/** The service takes texts only. */
export async function readSourceText(file: string): Promise<string> {
  return decodeSource(file, await readFile(file))
}

/** @param file its path, for the fault. */
export function decodeSource(file: string, content: string | Uint8Array): string {
  if (typeof content === 'string') return content
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw usage(`${file}: this is not UTF-8; write other bytes as escapes, such as "\\255".`)
  }
}
