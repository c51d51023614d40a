/** Which subjects of commits are accepted. */
import { expect, test } from 'vitest'
import { subjectComplaint } from './commit-rules.ts'

test.each([
  'feat(users): generate keys in bulk',
  'docs: name the ports',
  'refactor(store,http): read points through the pool',
  'Merge branch main into lists',
  `fix: ${'x'.repeat(55)}`,
])('%s is a subject', (subject) => {
  expect(subjectComplaint(subject)).toBeUndefined()
})

test.each([
  'generate keys in bulk',
  'feature(users): generate keys',
  'feat(users): Generate keys',
  'feat(users): generate keys.',
  'feat(users):generate keys',
  `fix: ${'x'.repeat(56)}`,
  '',
])('"%s" is none', (subject) => {
  expect(subjectComplaint(subject)).toMatch(/subject|characters/)
})
