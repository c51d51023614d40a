/** Uploads a source as a new script or as a new version of an existing one. */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Connection,
  entriesOf,
  type Release,
  ServiceError,
  v1ProjectScriptsCreate,
  v1ProjectScriptsList,
  v1ScriptsUpdate,
} from '@scriptward/sdk'
import { secondsToWait, usage } from '../faults.ts'
import type { UploadedFiles } from './bundle.ts'
import type { Options } from './project-file.ts'
import type { Target } from './push-target.ts'
import type { ReleaseOrder } from './release-order.ts'

export type Upload = Pick<Target, 'project' | 'script' | 'name' | 'options'> & {
  readonly source: UploadedFiles
  readonly testScript: string | undefined
  /** Ignored for a new script, because it has no customers yet. */
  readonly release: ReleaseOrder | undefined
  readonly notes?: string | undefined
  readonly publishNotes?: true | undefined
}

/** `release` is null if everyone gets the version immediately. */
export type Sent = {
  readonly script: string
  readonly isNew: boolean
  readonly version: number
  readonly release: Release | null
}

const PAGE = 100

export type Sending = {
  readonly client: Connection
  readonly signal: AbortSignal
  /**
   * Called with the seconds until the next attempt if the server is busy. If omitted, a busy server is an
   * error.
   */
  readonly onBusy?: ((seconds: number) => void) | undefined
}

export async function send(sending: Sending, upload: Upload): Promise<Sent> {
  const script = upload.script ?? (await patiently(sending, () => findByName(sending.client, upload)))
  // Prevents a retry after a lost response from creating a second version.
  const headers = { 'Idempotency-Key': randomUUID() }
  return patiently(sending, async () => {
    const { client } = sending
    const body = bodyOf(upload)
    const release = upload.release ?? null
    if (script !== undefined) {
      return { script, isNew: false, ...(await update(client, script, { ...body, release }, headers)) }
    }
    const path = { project_id: upload.project ?? '' }
    const made = await v1ProjectScriptsCreate({
      client,
      path,
      body: { name: upload.name, ...body },
      headers,
      throwOnError: true,
    })
    return { script: made.data.script_id, isNew: true, version: 1, release: null }
  })
}

type Body = NonNullable<Parameters<typeof v1ScriptsUpdate>[0]['body']>

async function update(
  client: Connection,
  script_id: string,
  body: Body,
  headers: { readonly 'Idempotency-Key': string },
): Promise<Pick<Sent, 'version' | 'release'>> {
  const { data } = await v1ScriptsUpdate({ client, path: { script_id }, body, headers, throwOnError: true })
  return { version: data.version, release: data.release }
}

/** Undefined if there are no options, so that the script keeps the options of its last version. */
export function sentOptions(options: Options): Options | undefined {
  return Object.keys(options).length === 0 ? undefined : options
}

function bodyOf({ source, options, testScript, notes, publishNotes }: Upload) {
  const sent = sentOptions(options)
  return {
    ...source,
    ...(sent === undefined ? {} : { options: sent }),
    ...(testScript === undefined ? {} : { test_script: testScript }),
    ...(notes === undefined ? {} : { notes }),
    ...(publishNotes ? { notes_public: true } : {}),
  }
}

/** Retries while the server is busy. */
export async function patiently<T>(
  { signal, onBusy }: Omit<Sending, 'client'>,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const seconds = busySeconds(error)
      if (seconds === undefined || onBusy === undefined) throw error
      onBusy(seconds)
      await wait(seconds * 1000, undefined, { signal })
    }
  }
}

function busySeconds(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || (error.status !== 429 && error.status !== 503)) return undefined
  return secondsToWait(error)
}

/** Undefined if the project has no script with this name. */
export async function findByName(
  client: Connection,
  { project, name }: Pick<Upload, 'project' | 'name'>,
): Promise<string | undefined> {
  if (!project)
    throw usage('No project given. Pass --project prj_…, or --script scr_… to update an existing script.')
  const found: string[] = []
  const scripts = entriesOf('scripts', (after) =>
    v1ProjectScriptsList({
      client,
      path: { project_id: project },
      query: { after, limit: PAGE },
      throwOnError: true,
    }),
  )
  for await (const script of scripts) if (script.name === name) found.push(script.id)
  if (found.length > 1)
    throw usage(
      `${found.length} scripts are named '${name}'. Choose one with --script ${found.join(' or --script ')}.`,
    )
  return found[0]
}
