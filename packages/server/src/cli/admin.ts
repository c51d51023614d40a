/**
 * `scriptward admin`: one command for each endpoint under `/v1/admin`, derived from its declaration, plus two
 * for the keyring and one for setup links. The commands work directly on the database, whether or not the
 * server is running.
 */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { pino } from 'pino'
import { CsvStream, type Endpoint } from '../api/endpoint.ts'
import { messageOf } from '../api/missing.ts'
import { Refused, textOf } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { endpoints } from '../endpoints.ts'
import type { Caller } from '../features/access/caller.ts'
import { isNewStore } from '../features/accounts/customers.ts'
import { findCustomerByEmail } from '../features/accounts/store/customers.ts'
import { callAudited } from '../features/audit/audited-call.ts'
import { chainEntries } from '../features/audit/chain.ts'
import type { Deed } from '../features/audit/entry.ts'
import { recordingOf } from '../features/audit/record.ts'
import { makeSetUpLink } from '../features/people/sign-in/set-up.ts'
import { findPersonByEmail } from '../features/people/store/people.ts'
import { compileCheck, type Failure, readTexts, takesText } from '../http/bodies/validate.ts'
import { openDeps } from '../open-deps.ts'
import { rotateKeyring } from '../platform/secrets/keyring.ts'
import { inWords } from '../reference/member-words.ts'
import { describeAnswer, describeKeys } from './admin-output.ts'

export type AdminContext = {
  readonly now: () => number
  readonly random: (count: number) => Buffer
  readonly print: (text: string) => void
  readonly config: () => Config
}

type CommandOptions = Readonly<Record<string, string | boolean>>
type Run = (deps: Deps) => Promise<string>

export function addAdmin(program: Command, context: AdminContext): void {
  const admin = program
    .command('admin')
    .description('Manage accounts, service tiers, dashboard users and server keys directly in the database')
  const groups = new Map<string, Command>()
  const groupOf = (name: string): Command => {
    const group = groups.get(name) ?? admin.command(name).description(GROUPS[name] ?? `Manage ${name}`)
    groups.set(name, group)
    return group
  }
  for (const one of endpoints.filter(({ auth }) => auth === 'admin')) {
    const [, group = '', word = ''] = one.name.split('.')
    addEndpoint(groupOf(group).command(dashed(word)), one, context)
  }
  addKeys(groupOf('keys'), context)
  addSetUpLink(admin, context)
}

function addEndpoint(command: Command, one: Endpoint, context: AdminContext): void {
  const params = namesOf(one.params)
  command.description(one.summary.replace(/\.$/, ''))
  for (const name of params) command.argument(`<${name}>`, ARGUMENTS[`${one.name.split('.')[1]}.${name}`])
  for (const name of [...namesOf(one.query), ...namesOf(one.body)])
    command.option(`--${dashed(name)} <value>`, descriptionOf(one, name))
  if (one.name.endsWith('.remove')) command.requiredOption('--yes', 'Confirm; this cannot be undone')
  command.option('--json', "Print the endpoint's JSON response")
  command.action(async (...words: unknown[]) => {
    const given = words[params.length] as CommandOptions
    const named = Object.fromEntries(params.map((name, index) => [name, String(words[index])]))
    await onStore(context, (deps) => callEndpoint(deps, one, { named, given }))
  })
}

const GROUPS: Readonly<Record<string, string>> = {
  customers: 'Manage accounts',
  tiers: 'Manage service tiers',
  people: 'Manage dashboard users',
  system: 'Show server health',
  mail: 'Test email delivery',
  audit: "Read the server's audit log",
  keys: 'Manage server keys',
}

const ARGUMENTS: Readonly<Record<string, string>> = {
  'customers.id': 'Account ID or email address',
  'people.id': "Dashboard user's ID or email address",
  'tiers.id': 'Tier ID',
  'backups.backup_name': 'Backup file name',
}

async function callEndpoint(
  deps: Deps,
  one: Endpoint,
  { named, given }: { named: Record<string, string>; given: CommandOptions },
): Promise<string> {
  if (named.id?.includes('@')) named.id = (await idOf(deps, one, named.id.toLowerCase())) ?? named.id
  const call = {
    subject: undefined,
    caller: COMMAND_LINE,
    params: read(one.params, named),
    query: read(one.query, given),
    body: read(one.body, given),
    origin: { requestId: 'command-line', address: '', headers: {} },
  }
  const answer = await callAudited(deps, one, call)
  if (answer instanceof Refused) throw new Error(wordsOf(answer, one, call.params))
  if (answer instanceof CsvStream) return joined(answer.parts)
  const whole = { success: true, ...answer }
  return given.json ? `${JSON.stringify(whole, null, 2)}\n` : describeAnswer(whole)
}

async function idOf({ db }: Deps, { name }: Endpoint, email: string): Promise<string | undefined> {
  const find = name.startsWith('admin.people.') ? findPersonByEmail : findCustomerByEmail
  return (await find(db.read, email))?.id
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}

/**
 * Anyone who can run commands on the machine has full access to the database, so no permission is checked.
 */
const COMMAND_LINE: Caller = {
  actor: { kind: 'command_line', id: null, name: userName() },
  scopes: new Set(),
  projects: undefined,
  authenticatedAt: undefined,
  isOwner: true,
  issuer: undefined,
}

/** In a container, the user ID may not have a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

/** Reads the schema's fields, parsed like a query string. Times may also be given as dates. */
function read(schema: Endpoint['body'], given: CommandOptions): Record<string, unknown> {
  const texts = namesOf(schema)
    .map((name) => [name, given[name] ?? given[camelCased(name)]] as const)
    .filter(([, value]) => value !== undefined)
  const read = readTexts(schema, Object.fromEntries(texts))
  const members = Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, takesText(schema, name) ? value : timeIn(value)]),
  )
  const failed = compileCheck(schema, 'words')(members)
  if (failed.length > 0) throw new Error(failed.map(describeFailure).join('\n'))
  return members
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/

/** Returns the time of a date in milliseconds, and any other value as it is, such as the day 2026-02-30. */
function timeIn(value: unknown): unknown {
  const text = typeof value === 'string' && ISO_DATE.test(value) ? value : ''
  const time = Date.parse(text)
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  return isReal ? time : value
}

function describeFailure({ field, errors }: Failure): string {
  return `--${dashed(field)} ${errors.join(' and ')}`
}

function wordsOf(refused: Refused, endpoint: Endpoint, params: Readonly<Record<string, unknown>>): string {
  const { failed } = refused.members
  return failed ? failed.map(describeFailure).join('\n') : messageOf(refused, endpoint, params)
}

/** The keyring is a file outside the database, so the audit entry is written after the change. */
const KEYS_ROTATED = {
  customerId: undefined,
  actor: COMMAND_LINE.actor,
  address: undefined,
  requestId: 'command-line',
  action: 'admin.keys.rotate',
  nouns: {},
  before: undefined,
  body: {},
} satisfies Deed

function addKeys(keys: Command, context: AdminContext): void {
  const { now, random } = context
  keys
    .command('list')
    .description('List the server keys that clients can use')
    .action(() => onStore(context, async ({ secrets }) => describeKeys(secrets.server.publicKeys(now()))))
  keys
    .command('rotate')
    .description(
      'Rotate the server keys and the data key; the previous server keys stay valid for another week',
    )
    .action(() =>
      onStore(context, async (deps) => {
        const rotated = await rotateKeyring(deps.config, { random, now: now() })
        await recordingOf(deps, KEYS_ROTATED).finish()
        return `${describeKeys(rotated)}Restart every server process to use them.\n`
      }),
    )
}

function addSetUpLink(admin: Command, context: AdminContext): void {
  admin
    .command('setup-link')
    .description(
      "Create a single-use setup link, valid for 30 minutes, for an account's first dashboard user",
    )
    .argument('[account]', 'Account ID or email address (default: the first admin account)')
    .action((account: string | undefined) =>
      onStore(context, async (deps) => {
        const link = await makeSetUpLink(deps, account)
        if (link instanceof Refused) throw new Error(textOf(link))
        return `${link}\n`
      }),
    )
}

/** Requires an existing database, so that a mistyped folder name doesn't create a new one. */
async function onStore({ config: read, ...context }: AdminContext, run: Run): Promise<void> {
  const config = read()
  const isMissing =
    config.databaseUrl === undefined && !existsSync(path.join(config.dataDir, 'scriptward.db'))
  if (isMissing) throw new Error(`no database in ${config.dataDir}: ${NO_STORE}`)
  const { deps, close } = await openDeps(config, { ...context, log: pino({ level: 'silent' }) })
  try {
    if (await isNewStore(deps.db)) throw new Error(`the database is empty: ${NO_STORE}`)
    const printed = await run(deps)
    // The server normally chains audit entries, but it may not be running. If chaining fails here, the server
    // does it later. The result must still be printed, because it may contain a new API key.
    await chainEntries(deps).catch(() => {})
    context.print(printed)
  } finally {
    await close()
  }
}

const NO_STORE =
  'start the server once, or use the same SCRIPTWARD_DATA_DIR and SCRIPTWARD_DATABASE_URL as the server'

type Described = { readonly properties?: Readonly<Record<string, { readonly description?: string }>> }

function namesOf(schema: Endpoint['body']): string[] {
  return Object.keys((schema as Described).properties ?? {})
}

/** Returns a field's description from the reference. Unlike the API, commands also accept dates. */
function descriptionOf({ body, query }: Endpoint, name: string): string {
  const known = { ...(inWords(query) as Described).properties, ...(inWords(body) as Described).properties }
  const text = (known[name]?.description ?? '').replace('in Unix', 'as a date or in Unix')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function dashed(name: string): string {
  return name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Commander stores the value of an option under this name. */
function camelCased(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
