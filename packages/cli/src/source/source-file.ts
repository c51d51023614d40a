/** Reads source files as UTF-8, because the API accepts only strings. */

import { readFile } from 'node:fs/promises'
import { usage } from '../faults.ts'

export async function readSourceText(file: string): Promise<string> {
  return decodeSource(file, await readFile(file))
}

/** @param file path to use in error messages. */
export function decodeSource(file: string, content: string | Uint8Array): string {
  if (typeof content === 'string') return content
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw usage(`${file}: not valid UTF-8. Write other bytes as escapes, such as "\\255".`)
  }
}
