/** `scriptward logout`: revokes the token from `scriptward login` and deletes it from this machine. */

import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings } from '../cli.ts'
import { credentialFor, revokeOwn, TOKEN_VARIABLES } from '../connection/connection.ts'
import { credentialsFile, forgetCredential, readCredentials } from '../connection/credentials.ts'
import { explain, Fault } from '../faults.ts'

type Flags = CommonFlags & { readonly forget?: true }

export function addLogout(program: Command, around: Surroundings): void {
  program
    .command('logout')
    .description("Sign out: revoke the token from 'login' and delete it from this machine")
    .option(
      '--forget',
      'Delete the token from this machine without revoking it, for example if the server is unreachable',
    )
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
  if (credential === undefined) out.line(`not signed in to ${url}`)
  else if (isRevoked) out.line(`signed out of ${url}; revoked the token '${credential.name}'`)
  else
    out.line(
      `deleted the token '${credential.name}' from this machine; it is still valid until you revoke it in the dashboard`,
    )
  const variable = TOKEN_VARIABLES.find((name) => env[name])
  if (variable) out.warn(`${variable} is still set, so commands keep using it`)
}

function stillSignedIn(error: unknown, url: string, file: string): Fault {
  const { code, lines } = explain(error, url)
  const way = `You are still signed in. To delete the token from ${file} without revoking it, run 'scriptward logout --forget'.`
  return new Fault(code, ...lines, way)
}
