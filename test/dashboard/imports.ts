/** Finds the dashboard sources that a file imports, directly or indirectly. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const DASHBOARD = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'src')

const IMPORT = /(?:from|import|import\()\s*'(\.[^']+\.tsx?)'/g

/** Returns the files that `entry` imports, directly or indirectly, mapped to their contents. */
export function reachedFrom(entry: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (name: string) => {
    const file = path.join(DASHBOARD, name)
    if (found.has(name) || !existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    found.set(name, text)
    for (const [, to = ''] of text.matchAll(IMPORT)) visit(path.posix.join(path.posix.dirname(name), to))
  }
  visit(entry)
  return found
}
