/** Tests how the files of an import are read. */
import { describe, expect, it } from 'vitest'
import { text } from '../../../messages/text.ts'
import { readSheet } from './sheet.ts'

const read = (content: BlobPart) => readSheet(new File([content], 'users.csv'))

describe('a table', () => {
  it('keeps every letter, wherever it is in a long file', async () => {
    const note = 'Ж😀'.repeat(40)
    const rows = Array.from({ length: 3000 }, (_, n) => ({ key: `key-${n}`, note: `${note}${n}` }))
    const lines = rows.map(({ key, note }) => `${key},${note}`)
    expect(await read(`\uFEFFkey,note\n${lines.join('\n')}`)).toEqual({ columns: ['key', 'note'], rows })
  })

  it('is rejected in another encoding, which would garble its notes', async () => {
    expect(await read(Buffer.from('key,note\nkey-1,Ren\xe9\n', 'latin1'))).toBe(text.users.notUtf8)
  })
  it('is rejected if a quote is left open, which would hide all of the rows after it', async () => {
    expect(await read('key,note\nkey-1,Ann\nkey-2,"Bob\nkey-3,Cy\n')).toBe(text.users.openQuote(2))
    const lines = Array.from({ length: 30_000 }, (_, n) => `key-${n},number ${n}`)
    expect(await read(`key,note\n${lines.join('\n')}\nkey-x,"x`)).toBe(text.users.openQuote(30_001))
  })
})
