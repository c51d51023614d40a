/** `scriptward tokens …`: tokens for programs. Managing tokens requires the `tokens:write` scope. */

import {
  entriesOf,
  type V1TokensCreateData,
  type V1TokensCreateResponse,
  v1TokensCreate,
  v1TokensEdit,
  v1TokensGet,
  v1TokensList,
  v1TokensRevoke,
  v1TokensRotate,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { durationOf, timeOf } from '../durations.ts'
import { usage } from '../faults.ts'
import { printDetails } from '../output/details.ts'
import { takeNewest } from '../output/lists.ts'

type Body = V1TokensCreateData['body']

const ID = ['<token>', "Token ID, from 'tokens list'"] as const
const SCOPES = "Scopes, such as 'scripts:write,users:issue'"
const PROJECTS = "Project IDs, comma-separated, or 'all'"
const NETWORKS = "Allowed networks, such as '203.0.113.0/24', or 'all'"
const EXPIRES = "Expiry: '90d', a date, or 'never'"

export function addTokens(program: Command, around: Surroundings): void {
  const tokens = program.command('tokens').description('Manage tokens for CI, bots and shops')
  const sub = (name: string, words: string, isDefault = false) =>
    tokens.command(name, { isDefault }).description(words)
  sub('list', 'List tokens, newest first', true)
    .option('--limit <count>', 'Maximum number of results', '50')
    .action(acting(around, list))
  sub('add', 'Create a token and print its secret (shown only once)')
    .alias('create')
    .argument('<name>', 'Token name')
    .requiredOption('--scopes <scopes>', SCOPES)
    .option('--projects <ids>', PROJECTS)
    .option('--networks <blocks>', NETWORKS)
    .option('--expires <time>', EXPIRES, '90d')
    .action(acting(around, add))
  sub('show', 'Show a token and its scopes')
    .argument(...ID)
    .action(acting(around, show))
  sub('edit', 'Rename a token or change its access')
    .argument(...ID)
    .option('--name <name>', 'New name')
    .option('--scopes <scopes>', SCOPES)
    .option('--projects <ids>', PROJECTS)
    .option('--networks <blocks>', NETWORKS)
    .option('--expires <time>', EXPIRES)
    .action(acting(around, edit))
  sub('rotate', 'Rotate a token and print the new secret (shown only once)')
    .argument(...ID)
    .option('--overlap <duration>', "Grace period for the old secret, such as '1h'; at most 1d")
    .action(acting(around, rotate))
  sub('remove', 'Revoke a token')
    .alias('revoke')
    .argument(...ID)
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, remove))
}

async function list(cli: Cli, flags: CommonFlags & { readonly limit: string }): Promise<void> {
  const { client } = await cli.service()
  const found = await takeNewest(flags.limit, (limit) =>
    entriesOf('tokens', (after) => v1TokensList({ client, query: { after, limit }, throwOnError: true })),
  )
  cli.out.rows({
    head: ['TOKEN', 'NAME', 'PREFIX', 'LAST USED', 'EXPIRES', 'SCOPES'],
    rows: found.map((one) => [
      one.id,
      one.name,
      one.start,
      one.last_used_at === null ? 'never' : cli.out.when(one.last_used_at),
      one.expires_at === null ? 'never' : cli.out.when(one.expires_at),
      one.scopes.join(', '),
    ]),
    values: found,
    empty:
      "This account has no tokens yet. Create one with 'scriptward tokens add CI --scopes scripts:write'.",
  })
}

type TokenFlags = CommonFlags & {
  readonly name?: string
  readonly scopes?: string
  readonly projects?: string
  readonly networks?: string
  readonly expires?: string
}

/** Scope names are not checked here: the API rejects unknown ones by name. */
function bodyOf(cli: Cli, { name, scopes, projects, networks, expires }: TokenFlags): Partial<Body> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: listOf(scopes) as Body['scopes'] }),
    ...(projects === undefined ? {} : { projects: projects === 'all' ? null : listOf(projects) }),
    ...(networks === undefined ? {} : { networks: networks === 'all' ? null : listOf(networks) }),
    ...(expires === undefined ? {} : { expires_at: timeOf(expires, cli.now()) }),
  }
}

const listOf = (text: string) => text.split(',').map((one) => one.trim())

async function add(cli: Cli, flags: TokenFlags & { readonly scopes: string }, words: Words): Promise<void> {
  const given = bodyOf(cli, flags)
  const body = { ...given, name: words.text(0), scopes: listOf(flags.scopes) as Body['scopes'] }
  const { client } = await cli.service()
  printSecret(cli, (await v1TokensCreate({ client, body, throwOnError: true })).data)
}

async function show(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { client } = await cli.service()
  const path = { token_id: words.text(0) }
  printDetails(cli.out, (await v1TokensGet({ client, path, throwOnError: true })).data.token)
}

async function edit(cli: Cli, flags: TokenFlags, words: Words): Promise<void> {
  const body = bodyOf(cli, flags)
  if (Object.keys(body).length === 0)
    throw usage('Nothing to change. Pass --name, --scopes, --projects, --networks or --expires.')
  const { client } = await cli.service()
  const path = { token_id: words.text(0) }
  const { token } = (await v1TokensEdit({ client, path, body, throwOnError: true })).data
  cli.out.json(token)
  cli.out.line(`updated ${token.id}`)
}

async function rotate(cli: Cli, { overlap }: CommonFlags & { readonly overlap?: string }, words: Words) {
  const body = overlap === undefined ? {} : { overlap_ms: durationOf(overlap) }
  const { client } = await cli.service()
  const path = { token_id: words.text(0) }
  printSecret(cli, (await v1TokensRotate({ client, path, body, throwOnError: true })).data)
}

async function remove(cli: Cli, _: CommonFlags, words: Words): Promise<void> {
  const { client } = await cli.service()
  const path = { token_id: words.text(0) }
  await v1TokensRevoke({ client, path, throwOnError: true })
  cli.out.json({ ...path, done: true })
  cli.out.line(`revoked ${path.token_id}`)
}

/** Prints only the secret to standard output, so that a shell script can capture it. */
function printSecret(cli: Cli, { token, secret }: Pick<V1TokensCreateResponse, 'token' | 'secret'>): void {
  cli.out.json({ token_id: token.id, secret })
  cli.out.note(`Secret of ${token.id}, shown only once:`)
  cli.out.line(secret)
}
