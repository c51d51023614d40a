/** The requirements for releasing a version, and the release notes. */

export type Named = { readonly name: string; readonly version: string }

/** Matches a changelog heading, such as `## 0.2.0 (2026-12-24)`. */
const HEADING = /^## (\S+)(?: \((\d{4}-\d{2}-\d{2})\))?$/

/** Returns every conflict with the `v<version>` tag; empty if the version can be released. */
export function complaintsAbout(tag: string, packages: readonly Named[], changelog: string): string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`The tag ${tag} is not a version, such as v0.2.0.`]
  const others = packages
    .filter((one) => one.version !== version)
    .map((one) => `${one.name} has the version ${one.version}, but the tag is ${tag}.`)
  const notes = notesOf(changelog, version)
  const missing = notes === undefined ? [`CHANGELOG.md has no heading \`## ${version} (date)\`.`] : []
  return [...others, ...missing]
}

/** Returns the changelog section of one version; undefined if the version has no dated section. */
export function notesOf(changelog: string, version: string): string | undefined {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => {
    const [, heading, date] = HEADING.exec(line) ?? []
    return heading === version && date !== undefined
  })
  if (start === -1) return undefined
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => HEADING.test(line))
  return rest
    .slice(0, end === -1 ? rest.length : end)
    .join('\n')
    .trim()
}
