/** `scriptward login`: gets a token for this machine, which the user approves in the browser. */

import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isServiceError, type V1TokensExchangeResponse, v1TokensExchange } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { openBrowser } from '../connection/browser.ts'
import {
  credentialFor,
  LAST_MS,
  openConnection,
  revokeOwn,
  TOKEN_VARIABLES,
} from '../connection/connection.ts'
import { type Credential, keepCredential, readCredentials } from '../connection/credentials.ts'
import { type Arrival, listenFor, readAddress } from '../connection/loopback.ts'
import { dateOf, timeOf } from '../durations.ts'
import { Fault, NOT_ALLOWED, UNAVAILABLE } from '../faults.ts'

type Flags = Omit<CommonFlags, 'project'> & {
  readonly project?: readonly string[]
  readonly scope: readonly string[]
  readonly expires: string
  readonly name: string
  readonly browser: boolean
}

/** These scopes cover every command. A `write` scope includes `read`. */
const SCOPES = [
  ...['projects:write', 'scripts:write', 'scripts:source', 'users:write', 'users:bulk'],
  ...['sessions:write', 'webhooks:write', 'statistics:read'],
]
const MAX_NAME_LENGTH = 100
const WAIT_MS = 10 * 60_000

export function addLogin(program: Command, around: Surroundings): void {
  program
    .command('login')
    .description('Sign in: create a token for this machine by approving it in your browser')
    .option('--project <id...>', 'Limit the token to these project IDs')
    .option('--scope <scope...>', 'Token scopes', SCOPES)
    .option('--expires <time>', "Token expiry: '90d', '2026-12-24' or 'never'", '90d')
    .option('--name <name>', 'Token name', `Command line on ${hostname()}`)
    .option('--no-browser', 'Print the URL instead of opening it')
    .action(acting(around, login))
}

async function login(cli: Cli, flags: Flags & CommonFlags): Promise<void> {
  const url = await cli.address()
  const expires_at = timeOf(flags.expires, cli.now())
  const former = credentialFor(url, await readCredentials(cli.env))
  await expectLogin(cli, url)
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const loopback = await listenFor(state)
  const pasted = flags.browser ? undefined : readAddress(cli.stdin, state, () => cli.out.note(WRONG_LINE))
  try {
    const asked = { flags, url, expires_at, former, state, verifier, port: loopback.port }
    await invite(cli, asked)
    const ways = [loopback.arrival, ...(pasted ? [pasted.arrival] : [])]
    await receive(cli, asked, await soonest(ways, cli.signal))
  } finally {
    loopback.close()
    pasted?.close()
  }
}

const WRONG_LINE = "That isn't the expected URL. Paste the full URL, starting with http://127.0.0.1."

/** Fails before opening the browser if the server can't be reached or doesn't support this login yet. */
async function expectLogin({ signal }: Cli, url: string): Promise<void> {
  const body = { code: 'none', code_verifier: 'none'.repeat(12) }
  await v1TokensExchange({ client: openConnection(url, { signal }), body, throwOnError: true }).catch(
    (error) => {
      if (!isServiceError(error, 'code_gone')) throw error
    },
  )
}

type Asked = {
  readonly flags: Flags
  readonly url: string
  readonly expires_at: number | null
  /** Credential from an earlier login. It is revoked once this login succeeds. */
  readonly former: Credential | undefined
  readonly state: string
  readonly verifier: string
  readonly port: number
}

async function invite({ out, env }: Cli, asked: Asked): Promise<void> {
  const address = addressFor(asked)
  const { browser } = asked.flags
  const isOpen = browser && (await openBrowser(address, env))
  out.note(
    `${isOpen ? 'Approve this sign-in in your browser' : 'Open this URL in your browser'}:\n${address}`,
  )
  if (!browser)
    out.note(
      "If the browser runs on another machine, it ends up on a page that can't be loaded. Paste the URL of that page here.",
    )
  const variable = TOKEN_VARIABLES.find((name) => env[name])
  if (variable)
    out.warn(`${variable} is set and takes precedence over this login. Unset it to use the login.`)
}

/** The parameters follow `#`, so that they never appear in server logs. */
function addressFor({ flags, url, expires_at, state, verifier, port }: Asked): string {
  const query = new URLSearchParams({
    name: flags.name.slice(0, MAX_NAME_LENGTH),
    scopes: flags.scope.join(','),
    ...(flags.project && { projects: flags.project.join(',') }),
    ...(expires_at !== null && { expires_at: String(expires_at) }),
    port: String(port),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  return `${url}/dashboard/#/command-line?${query}`
}

async function soonest(ways: readonly Promise<Arrival>[], signal: AbortSignal): Promise<Arrival> {
  const late = AbortSignal.timeout(WAIT_MS)
  const ended = new Promise<never>((_, reject) => {
    const end = AbortSignal.any([signal, late])
    end.addEventListener('abort', () =>
      reject(
        late.aborted
          ? new Fault(
              UNAVAILABLE,
              "The sign-in wasn't approved within 10 minutes. Run 'scriptward login' again.",
            )
          : signal.reason,
      ),
    )
    if (end.aborted) reject(signal.reason)
  })
  return Promise.race([...ways, ended])
}

async function receive(cli: Cli, asked: Asked, { code, sendTo }: Arrival): Promise<void> {
  const home = `${asked.url}/dashboard/#`
  if (code === undefined) {
    await sendTo(`${home}/`)
    throw new Fault(NOT_ALLOWED, 'The sign-in was denied in the browser. Nothing was changed.')
  }
  try {
    await keep(cli, asked, await exchange(asked, code))
    await sendTo(`${home}/command-line/done`)
  } catch (error) {
    await sendTo(`${home}/tokens`)
    throw error
  }
}

async function exchange({ url, verifier }: Asked, code: string): Promise<V1TokensExchangeResponse> {
  const client = openConnection(url, { signal: AbortSignal.timeout(LAST_MS) })
  return (await v1TokensExchange({ client, body: { code, code_verifier: verifier }, throwOnError: true }))
    .data
}

/** Revokes a token that couldn't be stored here. Otherwise, it would remain valid on the server. */
async function keep(cli: Cli, { url, flags, former }: Asked, { token, secret }: V1TokensExchangeResponse) {
  const { out, env, signal } = cli
  const { id, name, scopes, projects, expires_at } = token
  try {
    signal.throwIfAborted()
    await keepCredential(env, url, { token: secret, tokenId: id, name, expiresAt: expires_at })
  } catch (error) {
    await revokeOwn(url, secret).catch(() =>
      out.warn(`couldn't revoke the unused token '${name}'. Revoke it in the dashboard.`),
    )
    throw error
  }
  out.json({ url, token_id: id, name, scopes, projects, expires_at })
  out.line(`signed in to ${url} as '${name}'${expires_at === null ? '' : `, until ${dateOf(expires_at)}`}`)
  const lacking = flags.scope.filter((one) => !scopes.includes(one))
  if (lacking.length > 0)
    out.warn(`the token lacks scopes that you don't have yourself: ${lacking.join(', ')}`)
  if (former)
    await revokeOwn(url, former.token).catch(() =>
      out.warn(`couldn't revoke the previous token '${former.name}'. Revoke it in the dashboard.`),
    )
}
