import { expect, test } from 'vitest'
import { credentialsFile } from './credentials.ts'

test('a user without a home folder learns which settings to use instead', () => {
  const homeless = () => {
    throw new Error('uv_os_homedir returned ENOENT')
  }
  expect(() => credentialsFile({}, homeless)).toThrow(/no home folder\. Set HOME, .* SCRIPTWARD_TOKEN\.$/)
  expect(credentialsFile({ HOME: '/home/ann' }, homeless)).toBe(
    '/home/ann/.config/scriptward/credentials.json',
  )
})
