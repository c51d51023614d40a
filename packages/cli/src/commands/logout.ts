/** `scriptward logout`: ends the token of `login`, and forgets it. */

import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { credentialFor, revokeOwn, TOKEN_VARIABLES } from '../connection/connection.ts'
import { credentialsFile, forgetCredential, readCredentials } from '../connection/credentials.ts'
import { explain, Fault } from '../faults.ts'

type Flags = CommonFlags & { readonly forget?: true }

export function addLogout(program: Command, around: Surroundings): void {
  program
    .command('logout')
    .description('revoke the token of login and forget it')
    .option('--forget', 'only forget it here, for a service that cannot be asked any more')
    .action(acting(around, logout))
}

async function logout({ address, env, out }: Cli, { forget }: Flags): Promise<void> {
  const url = await address()
  const credential = credentialFor(url, await readCredentials(env))
  const isRevoked = credential !== undefined && !forget
  if (isRevoked)
    await revokeOwn(url, credential.token).catch((error) => {
      throw stillSignedIn(error, url, credentialsFile(env))
    })
  if (credential) await forgetCredential(env, url)
  out.json({ url, token_id: credential?.tokenId ?? null, revoked: isRevoked })
  if (credential === undefined) out.line(`you were not signed in to ${url}`)
  else if (isRevoked) out.line(`signed out of ${url}: the token '${credential.name}' is revoked`)
  else out.line(`forgot the token '${credential.name}', which still counts: revoke it in the dashboard`)
  const variable = TOKEN_VARIABLES.find((name) => env[name])
  if (variable) out.warn(`${variable} is still set, and commands go on using it`)
}

function stillSignedIn(error: unknown, url: string, file: string): Fault {
  const { code, lines } = explain(error, url)
  const way = `You are still signed in. 'scriptward logout --forget' takes the token out of ${file} without revoking it.`
  return new Fault(code, ...lines, way)
}
