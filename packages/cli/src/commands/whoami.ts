/** `scriptward whoami`: the account and token in use, and their scopes. */

import { v1Me } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../cli.ts'
import { credentialsFile } from '../connection/credentials.ts'
import { dateOf } from '../durations.ts'

export function addWhoami(program: Command, around: Surroundings): void {
  program
    .command('whoami')
    .description("Show the account and token in use, including the token's scopes and source")
    .action(acting(around, whoami))
}

const KINDS = { api_key: 'API key', token: 'token', person: 'member' } as const

async function whoami({ service, out, env }: Cli): Promise<void> {
  const { client, url, found } = await service()
  const { data } = await v1Me({ client, throwOnError: true })
  const { success: _, ...me } = data
  const { from, credential } = found
  const expires_at = credential?.expiresAt
  const file = credential && credentialsFile(env)
  out.json({ url, ...me, credential: { from, ...(file && { file }), ...(credential && { expires_at }) } })
  out.line(`server    ${url}`)
  out.line(`account   ${me.account ? `${me.account.email} (${me.account.id})` : '-'}`)
  out.line(`${KINDS[me.kind].padEnd(9)} ${me.name}`)
  out.line(`from      ${file === undefined ? from : `'scriptward login', ${file}`}`)
  if (typeof expires_at === 'number') out.line(`expires   ${dateOf(expires_at)}`)
  out.line(`projects  ${me.projects === null ? 'all' : me.projects.join(', ')}`)
  out.line(`scopes    ${me.scopes.join(', ')}`)
}
