/** Reads a project's state from the server as its owner. */
import type { Body, Caller } from './caller.ts'
import type { Group, State } from './state.ts'

export type View = { readonly state: State; readonly keys: ReadonlySet<string> }

type Place = { readonly name: string; readonly project: string; readonly script: string }

const EVENTS = [
  'user.created',
  'users.generated',
  'users.imported',
  'users.compensated',
  'users.fingerprint_reset_all',
  'user.blacklisted',
  'user.unblacklisted',
  'execution.granted',
]

/** `name` is the prefix of the writer's additional projects. */
export async function readView(caller: Caller, { name, project, script }: Place): Promise<View> {
  const found = (await caller.get(`/projects/${project}`)).project as Body
  const users = (await caller.get(`/projects/${project}/users`)).users as Body[]
  const projects = ((await caller.get('/v1/projects')).projects as Body[]).map((one) => String(one.name))
  const state = {
    name: String(found.name),
    executions: Number(found.total_executions),
    groups: users.map(groupOf),
    projects: projects.filter((one) => one.startsWith(`${name} beside `)),
    events: Object.fromEntries(await Promise.all(EVENTS.map((type) => countEvents(caller, project, type)))),
    ...(await readScript(caller, script)),
  }
  return { state, keys: new Set(users.map((user) => String(user.key))) }
}

function groupOf(user: Body): Group {
  return {
    note: String(user.note),
    count: 1,
    expires: user.key_expires as number | null,
    bound: user.fingerprint_assigned === true,
    linked: user.chat_id !== null,
    executions: Number(user.executions),
    blacklisted: user.blacklisted === true,
  }
}

async function countEvents(caller: Caller, project: string, type: string): Promise<[string, number]> {
  const { total } = await caller.get(`/v1/projects/${project}/webhooks/deliveries?limit=0&type=${type}`)
  return [type, Number(total)]
}

async function readScript(caller: Caller, script: string): Promise<Pick<State, 'versions' | 'source'>> {
  const { total } = await caller.get(`/v1/scripts/${script}/versions`)
  const { source } = await caller.get(`/v1/scripts/${script}/versions/${total}/source`)
  return { versions: Number(total), source: String(source) }
}
