/** A script and the files that it requires, as one source. */

import { readSourceText } from './source-file.ts'

export type Bundle = {
  readonly source: string
  /** Paths, the entry first. */
  readonly files: readonly string[]
  /** `line 3, column 1: …` about the bundle, as a complaint about a place of its file. */
  locate(complaint: string): string
}

export async function bundle(entry: string): Promise<Bundle> {
  const source = await readSourceText(entry)
  return { source, files: [entry], locate: (complaint) => `${entry}: ${complaint}` }
}
