/** Which licences a dependency may have. */

/** What is used here of a list of components in the format CycloneDX. */
export type Component = {
  readonly name: string
  readonly version: string
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string }
    /** SPDX, such as `MIT OR Apache-2.0`. */
    readonly expression?: string
  }[]
}

/** All allow what this project does with them: to use them unchanged, and to name them. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  // Asks for the sources of its own files only, when they were changed.
  'MPL-2.0',
  // Fonts: asks that they are not sold by themselves.
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
])

/** Undefined when every licence of the component is allowed. */
export function licenceComplaint({ name, version, licenses = [] }: Component): string | undefined {
  const found = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
  if (found.length > 0 && found.every(isAllowed)) return undefined
  const what = found.length > 0 ? `the licence ${found.join(' and ')}` : 'no licence'
  return `${name}@${version} has ${what}: use another package, or add the licence to scripts/licence-rules.ts`
}

/** One of several to choose from is enough; of those that hold together, all must be allowed. */
function isAllowed(expression: string): boolean {
  const choices = expression.replace(/[()]/g, '').split(/ or /i)
  return choices.some((choice) => choice.split(/ and /i).every((id) => ALLOWED.has(id.trim())))
}
