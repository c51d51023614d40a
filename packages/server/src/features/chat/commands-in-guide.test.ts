/**
 * The tables in `docs/guide/chat-bot.md` list every command with its options and the roles that may use it.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROLES } from '../access/roles.ts'
import { withIncluded } from '../access/scopes.ts'
import type { Command } from './command.ts'
import { commands } from './list.ts'

const GUIDE = path.join(import.meta.dirname, '../../../../../docs/guide/chat-bot.md')
const COLUMNS = ['admin', 'developer', 'support', 'reader'] as const

const rows = readFileSync(GUIDE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const shown = commands.filter(({ isHidden }) => !isHidden)

test('every command for staff is in the guide, with its options and roles', () => {
  const listed = rows.filter(([, first]) => first?.startsWith('`/')).flatMap(entriesOf)
  const wanted = shown.flatMap((command) => (command.scope === null ? [] : [entryOf(command, command.scope)]))
  expect(listed.sort()).toEqual(wanted.sort())
})

test('every command for customers is in the guide', () => {
  const listed = rows.flatMap(([, , second]) => /^`(\/\w+)`$/.exec(second ?? '')?.[1] ?? [])
  const wanted = shown.filter(({ scope }) => scope === null).map(({ name }) => `/${name}`)
  expect(listed.sort()).toEqual(wanted.sort())
})

/** A row may list several commands. */
function entriesOf([, names = '', , ...roles]: readonly string[]): string[] {
  const marks = roles.slice(0, COLUMNS.length).join(' ')
  return [...names.matchAll(/`([^`]+)`/g)].map(([, usage]) => `${usage}: ${marks}`)
}

function entryOf({ name, options = [] }: Command, scope: NonNullable<Command['scope']>): string {
  const usage = [`/${name}`, ...options.map((one) => (one.isRequired ? one.name : `[${one.name}]`))]
  const marks = COLUMNS.map((role) => (withIncluded(ROLES[role]).has(scope) ? 'yes' : '–'))
  return `${usage.join(' ')}: ${marks.join(' ')}`
}
