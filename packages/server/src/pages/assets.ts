/**
 * Static parts of the pages: the style sheet, which is inlined so that a page renders after one round trip,
 * and the script and icon, whose names contain a digest of their content. Pages load nothing from other
 * servers.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type Asset = { readonly name: string; readonly contentType: string; readonly text: string }

const FOLDER = path.join(import.meta.dirname, '..', '..', 'pages', 'people')

export const STYLE: string = tidy(read('page.css'))
export const SCRIPT: Asset = digested('page.js', 'text/javascript; charset=utf-8')
export const ICON: Asset = digested('icon.svg', 'image/svg+xml')

/** Allows resources from this server only, no framing, and only the page's own inline styles. */
function policyFor(digests: string): string {
  return [
    "default-src 'none'",
    `style-src ${digests}`,
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const STYLE_DIGEST = digestOf(STYLE)
export const PAGE_POLICY: string = policyFor(STYLE_DIGEST)

/** Used for a page with a second inline style. */
export function policyWith(style: string): string {
  return policyFor(`${STYLE_DIGEST} ${digestOf(style)}`)
}

function digestOf(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`
}

export function findAsset(name: string): Asset | undefined {
  return [SCRIPT, ICON].find((one) => one.name === name)
}

function digested(file: string, contentType: string): Asset {
  const text = read(file)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  const { name, ext } = path.parse(file)
  return { name: `${name}.${digest}${ext}`, contentType, text }
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8')
}

/** Removes comments and indentation, which every page would otherwise include. */
function tidy(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .trim()
}
