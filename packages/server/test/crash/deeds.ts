/** The actions that a writer performs in sequence, and the expected effect of each request. */
import type { Body, Caller } from './caller.ts'
import { changeGroup, changeGroups, isUnused, NEW, type State, withEvent, withGroup } from './state.ts'

export type Place = {
  readonly name: string
  readonly project: string
  readonly script: string
  /** Key of the user who is alternately edited and blocked. */
  readonly subject: string
  /** Key of the user who runs the script. */
  readonly runner: string
}

export type Deed = {
  readonly send: (caller: Caller) => Promise<Body>
  readonly after: State
  /** Whether a request that got no response can be retried without being performed twice. */
  readonly repeats?: true
}

type Doing = {
  readonly at: Place
  readonly state: State
  /** Name of the action, unique among all actions. */
  readonly tag: string
  /** A user created by `create` who still exists. */
  readonly spare: { readonly key: string; readonly note: string } | undefined
}
type Plan = (doing: Doing) => Deed | undefined

const GENERATED = 40
/**
 * Numbers of users per import. One makes a small change and the other a bulk change, which use different code
 * paths.
 */
const IMPORTED = [60, 260] as const
const DURATION = 1000

const create: Plan = ({ at, state, tag: note }) => ({
  send: (caller) => caller.post(`/projects/${at.project}/users/new`, { note }),
  after: withEvent(withGroup(state, { ...NEW, note, count: 1 }), 'user.created'),
})

const createOnce: Plan = ({ at, state, tag: note }) => ({
  send: (caller) => caller.post(`/v1/projects/${at.project}/users/new`, { note }, note.replaceAll(' ', '-')),
  after: withEvent(withGroup(state, { ...NEW, note, count: 1 }), 'user.created'),
  repeats: true,
})

const generate: Plan = ({ at, state, tag: note }) => ({
  send: (caller) => caller.post(`/projects/${at.project}/users/generate`, { amount: GENERATED, note }),
  after: withEvent(withGroup(state, { ...NEW, note, count: GENERATED }), 'users.generated'),
})

function importing(count: number): Plan {
  return ({ at, state, tag: note }) => {
    const users = Array.from({ length: count }, (_, index) => ({ note, fingerprint: `${note} ${index}` }))
    return {
      send: (caller) => caller.post(`/projects/${at.project}/users/import`, { users }),
      after: withEvent(withGroup(state, { ...NEW, note, count, bound: true }), 'users.imported'),
    }
  }
}

const edit: Plan = ({ at, state, tag: note }) => {
  const old = state.groups.find((group) => group.note.startsWith(`${at.name} subject`))?.note ?? ''
  return {
    send: (caller) =>
      caller.post(`/users/${at.subject}/edit`, { note: note.replace(at.name, `${at.name} subject`) }),
    after: changeGroup(state, old, (group) => ({
      ...group,
      note: note.replace(at.name, `${at.name} subject`),
    })),
  }
}

const blacklist: Plan = ({ at, state }) => {
  const subject = state.groups.find((group) => group.note.startsWith(`${at.name} subject`))
  const way = subject?.blacklisted ? 'unblacklist' : 'blacklist'
  const changed = changeGroup(state, subject?.note ?? '', (group) => ({
    ...group,
    blacklisted: !group.blacklisted,
  }))
  return {
    send: (caller) => caller.post(`/users/${at.subject}/${way}`),
    after: withEvent(changed, `user.${way}ed`),
  }
}

const compensate: Plan = ({ at, state }) => {
  const body = { duration: DURATION, compensate_expired: true }
  const later = changeGroups(state, (group) => ({
    ...group,
    expires: group.expires === null ? null : group.expires + DURATION,
  }))
  return {
    send: (caller) => caller.post(`/projects/${at.project}/users/compensate`, body),
    after: withEvent(later, 'users.compensated'),
  }
}

const remove: Plan = ({ state, spare }) =>
  spare && {
    send: (caller) => caller.post(`/users/${spare.key}/remove`),
    after: changeGroup(state, spare.note, () => undefined),
  }

const purge: Plan = ({ at, state }) => ({
  send: (caller) => caller.post(`/projects/${at.project}/users/purge`),
  after: changeGroups(state, (group) => (isUnused(group) ? undefined : group)),
})

const resetAll: Plan = ({ at, state }) => ({
  send: (caller) => caller.post(`/projects/${at.project}/users/resetall`),
  after: withEvent(
    changeGroups(state, (group) => ({ ...group, bound: false })),
    'users.fingerprint_reset_all',
  ),
})

const upload: Plan = ({ at, state, tag }) => {
  const source = `return ${JSON.stringify(tag)}`
  return {
    send: (caller) => caller.post(`/scripts/${at.script}/update`, { script: source }),
    after: { ...state, source, versions: state.versions + 1 },
  }
}

const execute: Plan = ({ at, state }) => {
  const run = changeGroup(state, `${at.name} runner`, (group) => ({
    ...group,
    bound: true,
    executions: group.executions + 1,
  }))
  return {
    send: (caller) => caller.execute(at.script, at.runner),
    after: withEvent({ ...run, executions: state.executions + 1 }, 'execution.granted'),
  }
}

const rename: Plan = ({ at, state, tag: name }) => ({
  send: (caller) => caller.post(`/projects/${at.project}/edit`, { name }),
  after: { ...state, name },
})

const addProject: Plan = ({ at, state, tag }) => {
  const name = tag.replace(at.name, `${at.name} beside`)
  return {
    send: (caller) => caller.post('/v1/projects/new', { name }),
    after: { ...state, projects: [...state.projects, name] },
  }
}

/** These actions are performed repeatedly in this order. */
export const deeds: readonly Plan[] = [
  create,
  importing(IMPORTED[0]),
  createOnce,
  execute,
  compensate,
  edit,
  generate,
  blacklist,
  resetAll,
  remove,
  upload,
  rename,
  importing(IMPORTED[1]),
  execute,
  purge,
  addProject,
]
