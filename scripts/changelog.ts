/** The changelog as its headings divide it: what is not released yet, then each version with its day, the newest first. */

export type Section = { readonly title: string; readonly text: string }

const TITLE = /^(Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\))$/

export function sectionsOf(changelog: string): Section[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n')
      return { title, text: lines.join('\n') }
    })
}

/** `released` is the version of the last tag. */
export function changelogComplaints(changelog: string, released: string | undefined): string[] {
  const titles = sectionsOf(changelog).map(({ title }) => title)
  const versions = titles.filter((title) => title !== 'Unreleased').map((title) => title.split(' ')[0] ?? '')
  const sorted = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return [
    ...titles
      .filter((title) => !TITLE.test(title))
      .map((title) => `CHANGELOG.md: "${title}" must be like "0.2.0 (2026-12-24)", or "Unreleased"`),
    ...(titles.lastIndexOf('Unreleased') > 0 ? ['CHANGELOG.md: "Unreleased" comes first'] : []),
    ...(versions.join() === sorted.join() ? [] : ['CHANGELOG.md: the newest version comes first']),
    ...(released === undefined || versions.includes(released)
      ? []
      : [`CHANGELOG.md: ${released} was released and has no heading`]),
  ]
}

/** Whether a line says that something breaks, in what came after the last release. */
export function announcesBreak(changelog: string, released: string): boolean {
  const sections = sectionsOf(changelog)
  const at = sections.findIndex(({ title }) => title.split(' ')[0] === released)
  const later = at < 0 ? sections : sections.slice(0, at)
  return later.some(({ text }) => /^- \*\*Breaking:\*\* \S/m.test(text))
}
