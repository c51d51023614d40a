/** Reads what was dropped or chosen, and says why it cannot be a script. */
import { text } from '../../../text/text.ts'

export type Draft = { readonly name: string; readonly source: string }

const ENDINGS = /\.(lua|luau|txt)$/i

/** The draft, or the sentence that says why there is none. */
export async function readFiles(files: readonly File[]): Promise<Draft | string> {
  const t = text.overview.setUp
  const [file] = files
  if (file === undefined || files.length > 1) return t.tooMany
  const { name } = file
  if (!ENDINGS.test(name)) return t.notLua(name)
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    if (source.trim() === '') return t.isEmpty(name)
    return source.includes('\0') ? t.notText(name) : { name, source }
  } catch {
    return t.notText(name)
  }
}
