/** Creates a temporary script and key for one run. */

import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Connection,
  v1ProjectScriptsCreate,
  v1ProjectUsersCreate,
  v1ScriptsRemove,
  v1UsersRemove,
} from '@scriptward/sdk'
import type { UploadedFiles } from './bundle.ts'
import type { Options } from './project-file.ts'

/** Even if the cleanup fails, the key expires, and without a key the script cannot run. */
const KEY_LASTS_MS = 3_600_000
const MAX_NAME_LENGTH = 80

export type ToTry = {
  readonly project: string
  readonly name: string
  readonly source: UploadedFiles
  readonly options: Options
}

export type ThrowAway = {
  readonly script: string
  /** The script name is unique, so that a concurrent push by name doesn't find the temporary script. */
  readonly name: string
  readonly key: string
}

export type Trying = {
  /** Ctrl-C does not cancel requests on this connection, so that cleanup requests can still be sent. */
  readonly client: Connection
  readonly signal: AbortSignal
  readonly now: () => number
  /** Called with a description of each resource that couldn't be removed. */
  readonly onLeft: (what: string) => void
}

/** Removes the script and key afterward, whether the work succeeds, fails or is interrupted. */
export async function withThrowAway<T>(
  { client, signal, now, onLeft }: Trying,
  { project, name, source, options }: ToTry,
  work: (made: ThrowAway) => Promise<T>,
): Promise<T> {
  const unique = `${name.slice(0, MAX_NAME_LENGTH)} (run ${randomBytes(3).toString('hex')})`
  const path = { project_id: project }
  const removals: (() => Promise<unknown>)[] = []
  try {
    signal.throwIfAborted()
    const body = { note: 'scriptward run', key_expires: now() + KEY_LASTS_MS }
    const key = (await v1ProjectUsersCreate({ client, path, body, throwOnError: true })).data.user_key
    const ofKey = { client, path: { user_key: key }, throwOnError: true } as const
    removals.push(() => v1UsersRemove(ofKey).catch(() => onLeft('a key (expires within an hour)')))
    signal.throwIfAborted()
    const made = await v1ProjectScriptsCreate({
      ...{ client, path, throwOnError: true },
      body: { name: unique, ...source, options },
      headers: { 'Idempotency-Key': randomUUID() },
    })
    const script = made.data.script_id
    const ofScript = { client, path: { script_id: script }, throwOnError: true } as const
    removals.unshift(() =>
      v1ScriptsRemove(ofScript).catch(() => onLeft(`the script '${unique}' (${script})`)),
    )
    signal.throwIfAborted()
    return await work({ script, name: unique, key })
  } finally {
    for (const remove of removals) await remove()
  }
}
