import { expect, test } from 'vitest'
import { type Component, licenseComplaint } from './license-rules.ts'

const complaint = (licenses?: Component['licenses']) =>
  licenseComplaint({ name: 'pkg', version: '1.0.0', ...(licenses && { licenses }) })

test.each(['MIT', 'MPL-2.0', 'MIT OR GPL-3.0-only', '(MIT AND ISC)', 'GPL-2.0-only OR (MIT AND Apache-2.0)'])(
  'the license %s is accepted',
  (expression) => {
    expect(complaint([{ expression }])).toBeUndefined()
  },
)

test.each(['GPL-3.0-only', 'MIT AND AGPL-3.0-only', 'SEE LICENSE IN terms.txt', ''])(
  'the license %s is not accepted',
  (expression) => {
    expect(complaint([{ expression }])).toMatch(/^pkg@1\.0\.0 has the license .*: use another package/)
  },
)

test('a package without a license is rejected, and so is one that also has a forbidden license', () => {
  expect(complaint()).toContain('has no license')
  expect(complaint([{ license: { id: 'MIT' } }, { license: { name: 'Commercial' } }])).toContain(
    'MIT and Commercial',
  )
})
