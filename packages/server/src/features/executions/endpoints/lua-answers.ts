/** Responses to clients that run the downloaded code, and to people who open the URL in a browser. */
import type { Origin, Text } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'

/**
 * Browsers get a web page. Executors may also send `Accept: text/html`, so detection uses a header that only
 * browsers send when they open a page.
 */
export function isOpenedInBrowser(headers: Origin['headers']): boolean {
  const isNavigation =
    headers['sec-fetch-dest'] === 'document' || headers['upgrade-insecure-requests'] === '1'
  return isNavigation && String(headers.accept ?? '').startsWith('text/html')
}

/** The URL is relative, because only the proxy knows the public path. */
export function seePage(id: string): Text {
  const location = `../../../run/${encodeURIComponent(id)}`
  return { ...text(303, 'text/plain; charset=us-ascii', ''), headers: { location } }
}

/** Hosts that run whatever they download hide a 404 but show a Lua error. */
export function answerInLua(source: string | Refused, kind: 'script' | 'project' = 'script'): Text {
  if (!(source instanceof Refused)) return lua(200, source)
  if (source.reason === 'not_found') return lua(200, `error("${kind} not found",0)\n`)
  const seconds = Number(source.members.retry_after)
  return lua(429, `error("too many requests, wait ${seconds} seconds",0)\n`)
}

function lua(status: number, source: string): Text {
  return text(status, 'text/plain; charset=us-ascii', source)
}

export function text(status: number, contentType: string, body: string): Text {
  return { status, contentType, text: body, headers: { 'cache-control': 'no-store' } }
}
