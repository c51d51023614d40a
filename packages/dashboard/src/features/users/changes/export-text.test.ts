/** Tests the CSV files of exported users. */
import { expect, it } from 'vitest'
import { readSheet } from '../import/sheet.ts'
import type { User } from '../user.ts'
import { partOf } from './export-text.ts'

it('can be imported again, with every key and note unchanged', async () => {
  const users = [
    { key: '-key-1', note: '@ada', private_note: '=1\nsecond line' },
    { key: "'@key-2", note: "'=1", private_note: "'quoted', of course" },
  ].map((user) => ({ ...user, tags: [] as string[] }) as unknown as User)
  const sheet = await readSheet(new File([partOf('csv', users, true)], 'users.csv'))
  expect(sheet).toMatchObject({ rows: users.map(({ tags: _, ...user }) => user) })
})
