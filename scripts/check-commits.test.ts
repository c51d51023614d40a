import { expect, test } from 'vitest'
import { complaintAbout } from './check-commits.ts'

test.each([
  'feat(users): generate keys in bulk',
  'docs: say how to restore a backup',
  'fix(client-lua): retry',
])('the subject is fine: %s', (subject) => expect(complaintAbout(subject)).toBeUndefined())

test.each([
  ['generate keys in bulk', /not like/],
  ['feat(users): ', /not like/],
  ['feat(users): generate keys.', /not like/],
  ['Feat(users): generate keys', /not like/],
  [`feat: ${'x'.repeat(60)}`, /66 characters, 60 at most/],
])('the subject is refused: %s', (subject, says) => expect(complaintAbout(subject)).toMatch(says))
