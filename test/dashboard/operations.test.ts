/**
 * Tests that every operation of `/v1` has a page in the dashboard, and that the dashboard uses only
 * documented operations.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { reachedFrom } from './imports.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

type Operation = { readonly id: string; readonly fn: string; readonly path: string }
type Document = { readonly paths: Record<string, Record<string, { operationId?: string }>> }

/** Operations that don't have their own page, because another operation's page covers them. */
const TWINS: Readonly<Record<string, string>> = {
  'v1.adCheckpoints.createByGet': 'v1.adCheckpoints.create',
  'v1.tiers.get': 'v1.tiers.list',
  'v1.tokens.get': 'v1.tokens.list',
  'admin.customers.get': 'admin.customers.list',
  'admin.people.get': 'admin.people.list',
  'v1.adCheckpoints.get': 'v1.adCheckpoints.list',
  'v1.scripts.executions': 'v1.projects.executions',
  'v1.scriptSessions.filter': 'v1.projectSessions.list',
  'v1.scriptSessions.list': 'v1.projectSessions.list',
  'v1.userSessions.filter': 'v1.userSessions.list',
  'v1.projectExecutions.recent': 'v1.projectExecutions.log',
  'v1.users.link': 'v1.users.edit',
  'v1.userDevice.get': 'v1.userDevices.list',
  'v1.releases.get': 'v1.releases.list',
}

/** Operations that only the command line uses, to get and revoke its token. */
const OF_THE_COMMAND_LINE = ['v1.tokens.exchange', 'v1.me.revoke']

const text = [...reachedFrom('main.tsx').values()].join('\n')
const operations = operationsOfV1()

describe('an operation of /v1', () => {
  const shown = operations.filter(({ id }) => TWINS[id] === undefined && !OF_THE_COMMAND_LINE.includes(id))
  it.each(shown)('$id has a page', ({ id, fn, path }) => {
    const isUsed = id.startsWith('v1.auth.') ? isAsked(path) : new RegExp(`\\b${fn}\\b`).test(text)
    expect(isUsed, `no page calls ${fn}`).toBe(true)
  })

  it('is left out only if another operation with a page does the same', () => {
    const known = new Set(operations.map(({ id }) => id))
    for (const [twin, other] of Object.entries(TWINS)) {
      expect(known).toContain(twin)
      expect(known).toContain(other)
      expect(TWINS[other]).toBeUndefined()
    }
  })
})

describe('the dashboard', () => {
  it('requests only operations in the API document', () => {
    const patterns = operations.map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`))
    const asked = [...text.matchAll(/['`](\/v1\/[^'`?]*[^'`?/])['`?]/g)].map(([, found = '']) =>
      found.replace(/\$\{[^}]+\}/g, 'x'),
    )
    expect(asked.length).toBeGreaterThan(10)
    for (const each of asked)
      expect(
        patterns.some((pattern) => pattern.test(each)),
        each,
      ).toBe(true)
  })
})

function isAsked(route: string): boolean {
  const pattern = route.replace(/\{\w+\}/g, '\\$\\{[^}]+\\}')
  return new RegExp(`['\`]${pattern}['\`]`).test(text)
}

function operationsOfV1(): Operation[] {
  const { paths }: Document = JSON.parse(readFileSync(path.join(ROOT, 'docs/api/openapi.json'), 'utf8'))
  const all = Object.entries(paths).flatMap(([route, methods]) =>
    Object.values(methods).map(({ operationId = '' }) => ({ id: operationId, path: route })),
  )
  return all
    .filter(({ id, path: route }) => id !== '' && route.startsWith('/v1/'))
    .map(({ id, path: route }) => ({ id, path: route, fn: functionOf(id) }))
}

/** Returns the SDK's name for an operation. */
function functionOf(id: string): string {
  return id.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
}
