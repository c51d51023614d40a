/** Test setup for the bot: a project with a connected bot, and Discord users who use the bot. */
import { afterAll, beforeAll, vi } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { Engine } from '../databases.ts'
import { type Owner, START, startServer, type TestServer } from '../harness.ts'
import { APPLICATION, FakeDiscord, SERVER, STAFF_ROLE } from './fake-discord.ts'
import { expectWithinLimits } from './limits.ts'

type Json = Record<string, unknown>

/** A response as shown to the user. */
export type Seen = {
  readonly status: number
  readonly type: number
  readonly text: string
  readonly isPrivate: boolean
  /** Custom IDs of the buttons, by label. */
  readonly buttons: Readonly<Record<string, string>>
  /** The labels of a form's fields. */
  readonly form: Json | undefined
  readonly choices: readonly { readonly name: string; readonly value: string }[]
  readonly json: Json
}

/** A Discord user whose methods wait for deferred responses. */
export type DiscordPerson = {
  readonly id: string
  command(name: string, options?: Readonly<Record<string, string | boolean>>, more?: Json): Promise<Seen>
  /** Runs a command with a file as its `file` option. */
  attach(name: string, file: Json, options?: Readonly<Record<string, string>>): Promise<Seen>
  press(customId: string | undefined, messageId?: string): Promise<Seen>
  /** Submits a form. */
  submit(form: Json | undefined, values: Readonly<Record<string, string>>): Promise<Seen>
  type(name: string, options: Readonly<Record<string, string>>, focused: string): Promise<Seen>
}

export type DiscordScene = {
  readonly owner: Owner
  readonly projectId: string
  readonly path: string
  person(id: string, person?: { readonly roles?: readonly string[]; readonly name?: string }): DiscordPerson
  /** Sends any signed interaction from any user, and returns the first response. */
  send(interaction: Json): Promise<Seen>
  addKey(members?: Json): Promise<string>
}

/**
 * Creates one server and one fake Discord for all tests in this `describe`, and a new project for each call.
 */
export function discordOn(engine: Engine, settings: Partial<Config> = {}) {
  let server: TestServer
  const discord = new FakeDiscord(() => server.clock.now)
  beforeAll(async () => {
    await discord.open()
    const config = { discordUrl: discord.url, baseUrl: 'https://ward.example.com', ...settings }
    server = await startServer(engine, { config })
    discord.serverUrl = server.url
  })
  afterAll(async () => {
    await server.close()
    await discord.close()
  })
  const scene = () => {
    server.clock.now = START
    return discordScene(server, discord)
  }
  return { at: () => server, discord, scene }
}

/** `known` is an existing project. By default, a new account with a new project is created. */
export async function discordScene(
  server: TestServer,
  discord: FakeDiscord,
  known?: { readonly owner: Owner; readonly projectId: string },
): Promise<DiscordScene> {
  const { owner, projectId } = known ?? (await newProject(server))
  const path = `/v1/projects/${projectId}`
  const connected = await owner.post(`${path}/discord/connect`, { bot_token: discord.token })
  if (connected.status !== 200) throw new Error(`the bot was not connected: ${connected.text}`)
  await owner.post(`${path}/discord/edit`, { staff: [{ chat_role_id: STAFF_ROLE, role: 'admin' }] })
  const send = (interaction: Json) => sendTo(`${server.url}/hooks/discord/${projectId}`, discord, interaction)
  const ask = async (interaction: Json & { readonly token: string }) =>
    final(discord, interaction.token, await send(interaction))
  return {
    owner,
    projectId,
    path,
    send,
    person: (id, { roles = [], name = 'jo' } = {}) => {
      const member = { user: { id, username: name }, roles }
      const common = () => ({
        ...{ id: discord.newId(), application_id: APPLICATION, guild_id: SERVER, channel_id: SERVER, member },
        ...{ token: `token-${discord.newId()}`, version: 1, locale: 'en-US' },
      })
      return {
        id,
        command: (command, options = {}, more = {}) =>
          ask({ ...common(), type: 2, data: commandData(command, options, undefined), ...more }),
        attach: (command, file, options = {}) => {
          const data = commandData(command, { file: String(file.id), ...options })
          const resolved = { attachments: { [String(file.id)]: file } }
          return ask({ ...common(), type: 2, data: { ...data, resolved } })
        },
        type: (command, options, focused) =>
          ask({ ...common(), type: 4, data: commandData(command, options, focused) }),
        press: (custom_id, messageId = discord.newId()) =>
          ask({ ...common(), type: 3, data: { custom_id, component_type: 2 }, message: { id: messageId } }),
        submit: (form, values) =>
          ask({
            ...common(),
            type: 5,
            data: {
              custom_id: form?.custom_id,
              components: Object.entries(values).map(([of, value]) => ({
                type: 1,
                components: [{ type: 4, custom_id: of, value }],
              })),
            },
          }),
      }
    },
    addKey: async (members = {}) => (await owner.post(`${path}/users/new`, members)).string('user_key'),
  }
}

async function newProject(server: TestServer) {
  const owner = await server.createCustomer()
  return { owner, projectId: (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id') }
}

const DEFERRED = 5

/** Returns the response that follows a deferred one. */
async function final(discord: FakeDiscord, token: string, first: Seen): Promise<Seen> {
  if (first.type !== DEFERRED) return first
  const late = await vi.waitUntil(
    () => discord.requests.find(({ method, path }) => method === 'PATCH' && path.includes(`/${token}/`)),
    { timeout: 120_000 },
  )
  return { ...seen(first.status, { type: 4, data: late.body }), isPrivate: first.isPrivate }
}

function commandData(
  command: string,
  options: Readonly<Record<string, string | boolean>>,
  focused?: string,
): Json {
  const [name, sub] = command.split(' ')
  const given = Object.entries(options).map(([of, value]) => ({
    ...{ name: of, type: typeof value === 'boolean' ? 5 : 3, value },
    ...(of === focused && { focused: true }),
  }))
  const own = sub === undefined ? given : [{ name: sub, type: 1, options: given }]
  return { id: '1', name, type: 1, options: own }
}

async function sendTo(url: string, discord: FakeDiscord, interaction: Json): Promise<Seen> {
  const body = JSON.stringify(interaction)
  const response = await fetch(url, { method: 'POST', body, headers: discord.signed(body) })
  return seen(response.status, (await response.json()) as Json)
}

function seen(status: number, json: Json): Seen {
  expectWithinLimits(json)
  const data = (json.data ?? {}) as Json
  const embeds = (data.embeds ?? []) as Json[]
  const rows = (data.components ?? []) as { components: { label: string; custom_id: string }[] }[]
  const texts = embeds.flatMap(({ title, description, fields = [] }) => [
    title,
    description,
    ...(fields as Json[]).map(({ name, value }) => `${name}: ${value}`),
  ])
  return {
    ...{ status, json, type: Number(json.type), text: texts.filter(Boolean).join('\n') },
    isPrivate: data.flags === 64,
    buttons: Object.fromEntries(
      rows.flatMap((row) => row.components.map((one) => [one.label, one.custom_id])),
    ),
    form: json.type === 9 ? data : undefined,
    choices: (data.choices ?? []) as Seen['choices'],
  }
}
