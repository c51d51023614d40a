/** Stores the tokens from `scriptward login`, one per server, in a file that only its owner can read. */

import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { usage } from '../faults.ts'
import { writeWhole } from '../source/atomic-write.ts'

export type Credential = {
  readonly token: string
  readonly tokenId: string
  readonly name: string
  /** Milliseconds since 1970; null if the token never expires. */
  readonly expiresAt: number | null
}

export type Credentials = {
  /** Server URL of the latest login. */
  readonly current?: string
  /** Maps server URLs to credentials. */
  readonly services: Readonly<Record<string, Credential>>
}

type Env = Readonly<Record<string, string | undefined>>

/** Follows the XDG Base Directory Specification. On Windows, uses APPDATA. */
export function credentialsFile(env: Env, home = homedir): string {
  const windows = process.platform === 'win32' ? env.APPDATA : undefined
  const settings = env.XDG_CONFIG_HOME || windows || path.join(env.HOME || folderOf(home), '.config')
  return path.join(settings, 'scriptward', 'credentials.json')
}

/** In a container, the current user may have no entry in the system's user database. */
function folderOf(home: () => string): string {
  try {
    return home()
  } catch {
    throw usage(
      "Can't store tokens, because this user has no home folder. Set HOME, or set SCRIPTWARD_URL and SCRIPTWARD_TOKEN.",
    )
  }
}

export async function readCredentials(env: Env): Promise<Credentials> {
  const file = credentialsFile(env)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { services: {} }
  try {
    const { current, services } = JSON.parse(text) as Credentials
    if (typeof services === 'object' && services !== null)
      return { ...(current ? { current } : {}), services }
  } catch {
    // Invalid JSON gets the same error message as JSON with the wrong shape.
  }
  throw usage(`${file} is damaged. Delete it and run 'scriptward login' again.`)
}

/** Stores the credential and makes its server the current one. */
export async function keepCredential(env: Env, url: string, credential: Credential): Promise<void> {
  const { services } = await readCredentials(env)
  await write(env, { current: url, services: { ...services, [url]: credential } })
}

export async function forgetCredential(env: Env, url: string): Promise<void> {
  const { current, services } = await readCredentials(env)
  const { [url]: _, ...others } = services
  await write(env, { ...(current && current !== url ? { current } : {}), services: others })
}

async function write(env: Env, credentials: Credentials): Promise<void> {
  const text = `${JSON.stringify(credentials, null, 2)}\n`
  await writeWhole(credentialsFile(env), text, { mode: 0o600, makeFolder: true })
}
