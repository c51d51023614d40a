/** Defines which licenses are allowed for dependencies. */

/** The fields of a CycloneDX component used here. */
export type Component = {
  readonly name: string
  readonly version: string
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string }
    /** SPDX expression, such as `MIT OR Apache-2.0`. */
    readonly expression?: string
  }[]
}

/** Licenses that allow this project's use: unmodified, with attribution. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  // Requires publishing changes to the licensed files, but this project makes none.
  'MPL-2.0',
  // Font license that forbids selling the fonts on their own.
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
])

/** Returns undefined if every license of the component is allowed. */
export function licenseComplaint({ name, version, licenses = [] }: Component): string | undefined {
  const found = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
  if (found.length > 0 && found.every(isAllowed)) return undefined
  const what = found.length > 0 ? `the license ${found.join(' and ')}` : 'no license'
  return `${name}@${version} has ${what}: use another package, or add the license to scripts/license-rules.ts`
}

/** With alternatives, one license must be allowed. Combined licenses must all be allowed. */
function isAllowed(expression: string): boolean {
  const choices = expression.replace(/[()]/g, '').split(/ or /i)
  return choices.some((choice) => choice.split(/ and /i).every((id) => ALLOWED.has(id.trim())))
}
