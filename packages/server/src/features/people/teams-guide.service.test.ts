/** The table of roles in `docs/teams.md` matches the actual permissions. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROLE_NAMES, ROLES } from '../access/roles.ts'
import { ALL_SCOPES, isScope } from '../access/scopes.ts'

const guide = readFileSync(path.join(import.meta.dirname, '../../../../../docs/teams.md'), 'utf8')
const rows = [...guide.matchAll(/^\| \*\*(\w+)\*\* \| [^|]+ \| ([^|]+) \|$/gm)]
const table = rows.map(([, role = '', words = '']) => [role, words] as const)

describe('the guide to teams', () => {
  it('has a row for every role', () => {
    expect(table.map(([role]) => role)).toEqual(ROLE_NAMES)
  })

  it.each(table.filter(([role]) => role !== 'custom'))(
    'lists the permissions of the role %s',
    (role, words) => {
      expect(scopesOf(words)).toEqual([...new Set(ROLES[role as keyof typeof ROLES])].sort())
    },
  )
})

function scopesOf(words: string): string[] {
  if (words.startsWith('everything')) return [...ALL_SCOPES].sort()
  const reads = words.startsWith('all read scopes')
  const [but = '', more = ''] = reads ? words.split(';') : ['', words]
  const excluded = new Set(named(but))
  const reading = reads ? ALL_SCOPES.filter((one) => one.endsWith(':read') && !excluded.has(one)) : []
  return [...reading, ...named(more)].sort()
}

function named(words: string): string[] {
  return [...words.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).filter(isScope)
}
