import { expect, test } from 'vitest'
import { isNewer } from '../src/version-order.ts'

/** Versions from oldest to newest. */
const ORDER = [
  '0.1.0',
  '0.2.0-1',
  '0.2.0-2',
  '0.2.0-11',
  '0.2.0-alpha',
  '0.2.0-alpha.1',
  '0.2.0-alpha.beta',
  '0.2.0-beta',
  '0.2.0-beta.2',
  '0.2.0-beta.11',
  '0.2.0-rc.1',
  '0.2.0',
  '0.2.1',
  '0.10.0',
  '1.0.0-beta.1',
  '1.0.0',
  '10.0.0',
]

test('versions are in the order of semver.org', () => {
  for (const [index, version] of ORDER.entries()) {
    const newer = ORDER.filter((other) => isNewer(other, version))
    expect(newer, `newer than ${version}`).toEqual(ORDER.slice(index + 1))
  }
})

test('a release is newer than its betas, and no beta is newer than its release', () => {
  expect(isNewer('0.2.0', '0.2.0-beta.1')).toBe(true)
  expect(isNewer('0.2.0-beta.1', '0.2.0')).toBe(false)
})

test('build metadata makes no version newer', () => {
  expect(isNewer('0.2.0+20261130', '0.2.0')).toBe(false)
  expect(isNewer('0.2.0-beta.1+exp-2', '0.2.0-beta.1')).toBe(false)
})
