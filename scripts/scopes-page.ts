/** The page of scopes and roles in docs/api. */

import type { Endpoint } from '../packages/server/src/api/endpoint.ts'
import { ROLES } from '../packages/server/src/features/access/roles.ts'
import {
  ALL_SCOPES,
  SCOPES,
  type Scope,
  withIncluded,
} from '../packages/server/src/features/access/scopes.ts'
import { markdownTable } from './markdown-table.ts'

const INTRO =
  'Every scope, made by `npm run generate`. A caller needs the scope that an endpoint names, else the answer is ' +
  '403 `forbidden` with `needs`. `write` includes `read` of the same noun, and `users:write` includes `users:issue`. ' +
  'See [access.md](../access.md) for how callers get scopes.'

export function scopesPage(endpoints: readonly Endpoint[]): string {
  const roles = Object.entries(ROLES).map(([role, scopes]) => [role, withIncluded(scopes)] as const)
  const columns = ['Scope', 'What it allows', ...roles.map(([role]) => role)]
  const rows = ALL_SCOPES.map((scope) => [
    `\`${scope}\``,
    SCOPES[scope],
    ...roles.map(([, scopes]) => (scopes.has(scope) ? 'yes' : '')),
  ])
  const sections = ALL_SCOPES.map((scope) => sectionOf(scope, endpoints)).filter((text) => text !== '')
  return ['# Scopes', INTRO, markdownTable(columns, rows), ...sections].join('\n\n').concat('\n')
}

function sectionOf(scope: Scope, endpoints: readonly Endpoint[]): string {
  const lines = endpoints
    .filter((one) => one.scope === scope)
    .map(({ method, path }) => `- \`${method} ${path}\``)
  const issued = scope === 'users:issue' ? endpoints.filter((one) => one.issued) : []
  lines.push(...issued.map(({ method, path }) => `- \`${method} ${path}\`, of users that the caller issued`))
  return lines.length === 0 ? '' : `## \`${scope}\`\n\n${lines.join('\n')}`
}
