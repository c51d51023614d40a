/**
 * Creates example data on a running server: a project, two scripts and some users, in the account that
 * SCRIPTWARD_TOKEN belongs to, at SCRIPTWARD_URL. It is safe to run again: existing data is not changed.
 */
import {
  type Connection,
  connect,
  entriesOf,
  ServiceError,
  v1ProjectScriptsCreate,
  v1ProjectScriptsList,
  v1ProjectsCreate,
  v1ProjectsList,
  v1ProjectUsersCreate,
  v1ProjectUsersImport,
  v1ProjectUsersList,
} from '@scriptward/sdk'

export type Seeded = { readonly projectId: string; readonly scriptId: string; readonly userKey: string }

/** API key of the server started by `npm run dev`. */
export const DEV_KEY = 'key-for-development'
const PROJECT = 'Example project'
const FRIEND = 'first friend'
const DAY_MS = 86_400_000
const PAGE = 100

const SCRIPTS = [
  { name: 'hello', script: 'print("Hello, " .. (ward and ward.note or "guest") .. "!")\n' },
  { name: 'free for all', script: 'print("Everyone may run this.")\n', free_for_all: true },
]

/** Throws a ServiceError if the server returns an error. */
export async function seed(url: string, apiKey: string): Promise<Seeded> {
  const client = connect({ baseUrl: url, apiKey })
  const projectId = (await findProject(client)) ?? (await createProject(client))
  const scriptId = await seedScripts(client, projectId)
  return { projectId, scriptId, userKey: await seedUsers(client, projectId) }
}

function describeSeeded({ projectId, scriptId, userKey }: Seeded, url: string): string {
  return [
    `Project:  ${projectId}`,
    `User key: ${userKey}`,
    `Run it:   curl -s ${url}/client/v1/loader/${scriptId} -o loader.lua && SCRIPT_KEY=${userKey} lua5.1 loader.lua`,
  ].join('\n')
}

async function findProject(client: Connection): Promise<string | undefined> {
  const projects = entriesOf('projects', (after) =>
    v1ProjectsList({ client, query: { after, limit: PAGE }, throwOnError: true }),
  )
  for await (const { id, name } of projects) if (name === PROJECT) return id
  return undefined
}

async function createProject(client: Connection): Promise<string> {
  const made = await v1ProjectsCreate({ client, body: { name: PROJECT }, throwOnError: true })
  return made.data.project_id
}

/** Returns the ID of the first script. */
async function seedScripts(client: Connection, projectId: string): Promise<string> {
  const path = { project_id: projectId }
  const { data } = await v1ProjectScriptsList({ client, path, query: { limit: PAGE }, throwOnError: true })
  const ids: string[] = []
  for (const script of SCRIPTS) {
    const found = data.scripts.find(({ name }) => name === script.name)?.id
    const create = () => v1ProjectScriptsCreate({ client, path, body: script, throwOnError: true })
    ids.push(found ?? (await create()).data.script_id)
  }
  return ids[0] ?? ''
}

/** Returns the key of the user who may run the scripts. */
async function seedUsers(client: Connection, projectId: string): Promise<string> {
  const path = { project_id: projectId }
  const { data } = await v1ProjectUsersList({ client, path, query: { limit: PAGE }, throwOnError: true })
  const found = data.users.find(({ note }) => note === FRIEND)
  if (found) return found.key
  const users = [
    { note: 'ends in a month', key_expires: Date.now() + 30 * DAY_MS },
    { note: 'expired', key_expires: Date.now() - DAY_MS },
    { note: 'blacklisted', blacklisted: true, blacklist_reason: 'shared the key' },
  ]
  await v1ProjectUsersImport({ client, path, body: { users }, throwOnError: true })
  const friend = await v1ProjectUsersCreate({ client, path, body: { note: FRIEND }, throwOnError: true })
  return friend.data.user_key
}

/** Creates the example data and prints it. On failure, prints what to do and returns false. */
export async function seedAndSay(url: string, apiKey: string): Promise<boolean> {
  try {
    console.log(describeSeeded(await seed(url, apiKey), url))
    return true
  } catch (error) {
    console.error(explain(error, url))
    return false
  }
}

function explain(error: unknown, url: string): string {
  if (!(error instanceof ServiceError))
    return `${url} is not responding. Start the server, or set SCRIPTWARD_URL.`
  if (error.status !== 401) return `${url} rejected the example data: ${error.message}`
  return `${url} rejected the API key. Set SCRIPTWARD_TOKEN to your account's API key.`
}

if (import.meta.main) {
  const { SCRIPTWARD_URL: url = 'http://127.0.0.1:8080', SCRIPTWARD_TOKEN, SCRIPTWARD_KEY } = process.env
  process.exitCode = (await seedAndSay(url, SCRIPTWARD_TOKEN ?? SCRIPTWARD_KEY ?? DEV_KEY)) ? 0 : 1
}
