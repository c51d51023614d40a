/**
 * Pages for the browser that are files: where they lie, under which address, and what they may do there. They hold
 * no data; what they show they ask the management API for, with the key that the person in front of them gave.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export type Pages = {
  readonly prefix: string
  /** A file is looked for in the first one first. */
  readonly roots: readonly [string, ...string[]]
  /** Whether the names of files carry a digest of their content, all but those of pages. */
  readonly isDigested: boolean
}

const PACKAGES = path.join(import.meta.dirname, '..', '..', '..')

/** Everything from this server alone, nothing inline, no frames around it. */
const OWN_CODE_ONLY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': OWN_CODE_ONLY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const DASHBOARD: Pages = {
  prefix: '/dashboard/',
  roots: [path.join(PACKAGES, 'dashboard', 'dist')],
  isDigested: true,
}

/** The reference of the API, with try-it; its page and its start are ours, the rest is Swagger UI as it comes. */
const DOCS: Pages = {
  prefix: '/docs/',
  roots: [
    path.join(PACKAGES, 'server', 'pages', 'docs'),
    path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
  ],
  isDigested: false,
}

/** The folders that have been built; a server without them has the API all the same. */
export function findPages(): Pages[] {
  return [DASHBOARD, DOCS].filter(({ roots: [first] }) => existsSync(path.join(first, 'index.html')))
}

/** How long a browser may use a file without asking whether it is still that one. */
export function cachingOf({ isDigested }: Pages, file: string): string {
  return isDigested && !file.endsWith('.html') ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Where somebody who opens the bare address is sent. */
export const HOME = DASHBOARD.prefix
