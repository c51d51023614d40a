/** `scriptward whoami`: who a command is for the service, and what it may do. */

import { v1Me } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../cli.ts'

export function addWhoami(program: Command, around: Surroundings): void {
  program
    .command('whoami')
    .description('show which account and token commands use, and their rights')
    .action(acting(around, whoami))
}

const KINDS = { api_key: 'API key', token: 'token', person: 'person' } as const

async function whoami({ service, out }: Cli): Promise<void> {
  const { client, url } = await service()
  const { data } = await v1Me({ client, throwOnError: true })
  const { success: _, ...me } = data
  out.json({ url, ...me })
  out.line(`service   ${url}`)
  out.line(`account   ${me.account ? `${me.account.email} (${me.account.id})` : '-'}`)
  out.line(`${KINDS[me.kind].padEnd(9)} ${me.name}`)
  out.line(`projects  ${me.projects === null ? 'all' : me.projects.join(', ')}`)
  out.line(`rights    ${me.scopes.join(', ')}`)
}
