/** Returns the 1-based lines of the newer file that a unified diff adds or changes. */
export function changedLines(diff: string): ReadonlySet<number> {
  const found = new Set<number>()
  let n = 0
  for (const line of diff.split('\n')) {
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line) ?? []
    if (start !== undefined) n = Number(start)
    else if (line.startsWith('+')) found.add(n++)
    else if (line.startsWith(' ')) n += 1
  }
  return found
}
