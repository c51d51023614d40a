import { expect, test } from 'vitest'
import { complaintsAbout, notesOf } from './release-rules.ts'

const CHANGELOG = `# Changelog

## Unreleased

- Later

## 0.2.0 (2026-12-24)

### Added

- A thing

## 0.1.0 (2026-11-30)

- The first
`
const packages = [
  { name: 'scriptward', version: '0.2.0' },
  { name: '@scriptward/sdk', version: '0.2.0' },
]

test('the notes of a version are its section of the changelog', () => {
  expect(notesOf(CHANGELOG, '0.2.0')).toBe('### Added\n\n- A thing')
  expect(notesOf(CHANGELOG, '0.1.0')).toBe('- The first')
  expect(notesOf(CHANGELOG, '0.3.0')).toBeUndefined()
  expect(notesOf(CHANGELOG, 'Unreleased')).toBeUndefined()
})

test('a tag that fits all packages and the changelog can be released', () => {
  expect(complaintsAbout('v0.2.0', packages, CHANGELOG)).toEqual([])
})

test.each([
  ['0.2.0', ['The tag 0.2.0 is not a version, such as v0.2.0.']],
  ['v0.2', ['The tag v0.2 is not a version, such as v0.2.0.']],
  [
    'v0.3.0',
    [
      'scriptward has the version 0.2.0, but the tag is v0.3.0.',
      '@scriptward/sdk has the version 0.2.0, but the tag is v0.3.0.',
      'CHANGELOG.md has no heading `## 0.3.0 (date)`.',
    ],
  ],
])('the tag %s is refused with every reason', (tag, reasons) => {
  expect(complaintsAbout(tag, packages, CHANGELOG)).toEqual(reasons)
})
