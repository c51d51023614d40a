/** Reads a chosen file, or explains why the file can't be a script. */
import { text } from '../messages/text.ts'

export type Chosen = { readonly source: string; readonly name: string; readonly size: number }

const ENDINGS = /\.(lua|luau|txt)$/i

export async function readSource(file: File): Promise<Chosen | { readonly error: string }> {
  const { name, size } = file
  if (!ENDINGS.test(name)) return { error: text.scripts.notLua(name) }
  if (size === 0) return { error: text.scripts.isEmpty(name) }
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    if (source.trim() === '') return { error: text.scripts.isEmpty(name) }
    return source.includes('\0') ? { error: text.scripts.notText(name) } : { source, name, size }
  } catch (error) {
    const isNoText = error instanceof TypeError
    return { error: isNoText ? text.scripts.notText(name) : text.scripts.unreadable(name) }
  }
}
