/**
 * Imports that are large enough to be parsed in a child process, and spreadsheets that aren't lists of users.
 */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'

const COUNT = 1200
const users = Array.from({ length: COUNT }, (_, i) => ({ key: `large-import-${i}`, note: 'n'.repeat(100) }))
const csv = ['key,note', ...users.map(({ key, note }) => `${key},${note}`)].join('\n')

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { importLimit: COUNT } })
  const open = async () => {
    const { owner, project } = await createOwner(at())
    const move = (body: object, headers = {}) =>
      owner.send('POST', `/v1/projects/${project}/users/import`, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    return { owner, project, move }
  }

  test.each([
    ['JSON', { users }],
    ['CSV', { csv }],
  ])('a large list as %s is imported completely, and every skipped entry is reported', async (_, body) => {
    const { move } = await open()
    expect((await move({ ...body, dry_run: true })).body).toMatchObject({ imported: COUNT, skipped: 0 })
    expect((await move(body)).body).toMatchObject({ imported: COUNT, skipped: 0, skipped_entries: [] })
    const again = (await move(body)).body as { skipped_entries: object[] }
    expect(again).toMatchObject({ imported: 0, skipped: COUNT })
    expect(again.skipped_entries.at(-1)).toEqual({
      index: 999,
      type: 'key_taken',
      reason: 'key: is already taken',
    })
  })

  test('two large lists with the same idempotency key are different requests', async () => {
    const { move } = await open()
    const key = { 'idempotency-key': 'large' }
    expect((await move({ users }, key)).body).toMatchObject({ imported: COUNT })
    expect((await move({ users }, key)).body).toMatchObject({ imported: COUNT })
    const other = users.map((one) => ({ ...one, note: 'other' }))
    expect((await move({ users: other.concat(users.slice(1200)) }, key)).error.type).toBe(
      'idempotency_key_reused',
    )
  })

  test.each([{ dry_run: true }, { dry_run: false }])(
    'too many rows are rejected with their number (dry_run: $dry_run)',
    async (plan) => {
      const { move } = await open()
      const more = `${csv}\n${'one,more\n'.repeat(200_000)}`
      const { status, error } = await move({ csv: more, ...plan })
      expect([status, error.type, error.limit]).toEqual([413, 'too_many_users_to_import', COUNT])
    },
  )

  test('a spreadsheet with more than 200 columns is rejected at its first row', async () => {
    const { move } = await open()
    const refused = async (text: string) => (await move({ csv: text, dry_run: true })).error.failed
    const few = ['key', ...Array(199).fill('a')].join(',')
    expect((await move({ csv: `${few}\nwide-key-1,`, dry_run: true })).status).toBe(200)
    for (const text of [`${few},a\nx`, `key,${'a,'.repeat(20_000)}\n`])
      expect(await refused(text)).toMatchObject([
        { field: 'csv', errors: [expect.stringMatching(/^must have at most 200 columns, and has \d+/)] },
      ])
    expect(await refused(`key,${'a,'.repeat(2_000_000)}`)).toMatchObject([
      {
        field: 'csv',
        errors: [expect.stringMatching(/^must start with a header row of at most 65536 characters/)],
      },
    ])
  })

  test('a large body that does not match the schema is rejected like a small one', async () => {
    const { move } = await open()
    const long = 'x'.repeat(100_000)
    for (const [body, field] of [
      [{ users: long }, 'users'],
      [{ csv: [long] }, 'csv'],
      [{ csv, from: long }, 'from'],
      [{ users, unknown: 1 }, 'unknown'],
      [{ users, csv }, 'csv'],
    ] as const)
      expect((await move(body)).error.failed, field).toMatchObject([{ field }])
  })
})
