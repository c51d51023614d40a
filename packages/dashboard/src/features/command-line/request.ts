/**
 * Parses a token request from the URL's query. The request is untrusted, because anyone could have created
 * the URL.
 */

export type TokenRequest = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly expires_at: number | null
  readonly port: number
  readonly state: string
  readonly code_challenge: string
}

const STATE = /^[\w-]{16,128}$/
const CHALLENGE = /^[\w-]{43}$/
const LAST_PORT = 65_535

/** Returns undefined unless the request is complete. */
export function parseRequest(query: Readonly<Record<string, string | undefined>>): TokenRequest | undefined {
  const { name = '', state = '', code_challenge = '' } = query
  const scopes = listIn(query.scopes)
  const projects = listIn(query.projects)
  const port = numberIn(query.port) ?? 0
  const expires_at = numberIn(query.expires_at)
  const isWhole = name.trim() !== '' && scopes.length > 0 && STATE.test(state)
  if (!isWhole || !CHALLENGE.test(code_challenge) || port < 1 || port > LAST_PORT) return undefined
  return {
    name,
    scopes,
    projects: projects.length > 0 ? projects : null,
    expires_at,
    port,
    state,
    code_challenge,
  }
}

function listIn(text = ''): string[] {
  return text.split(',').filter((each) => each !== '')
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** The program's local callback URL with the OAuth error (RFC 6749, section 4.1.2.1). */
export function refusalAddress({ port, state }: TokenRequest): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ error: 'access_denied', state })}`
}
