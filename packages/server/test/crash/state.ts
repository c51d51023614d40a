/** All that a project holds, as far as it can be told from outside, and what changes of its owner make of it. */

/** Users who are alike in everything that is looked at; their note is what they are known by. */
export type Group = {
  readonly note: string
  readonly count: number
  readonly expires: number | null
  readonly bound: boolean
  readonly linked: boolean
  readonly executions: number
  readonly blacklisted: boolean
}

export type State = {
  readonly name: string
  readonly groups: readonly Group[]
  /** Names of further projects that were made beside it. */
  readonly projects: readonly string[]
  readonly versions: number
  /** Of the newest version. */
  readonly source: string
  readonly executions: number
  /** How often each type of event has been put down. */
  readonly events: Readonly<Record<string, number>>
}

/** A new user. */
export const NEW = { expires: null, bound: false, linked: false, executions: 0, blacklisted: false } as const

export const withGroup = (state: State, group: Group): State => ({
  ...state,
  groups: [...state.groups, group],
})

export const withEvent = (state: State, type: string): State => ({
  ...state,
  events: { ...state.events, [type]: (state.events[type] ?? 0) + 1 },
})

/** A change that drops the groups for which there is nothing. */
export const changeGroups = (state: State, change: (group: Group) => Group | undefined): State => ({
  ...state,
  groups: state.groups.map(change).filter((group) => group !== undefined),
})

/** The group of this note alone. */
export const changeGroup = (state: State, note: string, change: (group: Group) => Group | undefined): State =>
  changeGroups(state, (group) => (group.note === note ? change(group) : group))

export const isUnused = ({ executions, bound, linked }: Group): boolean =>
  executions === 0 && !bound && !linked

/** In what two states differ, one line for each difference; empty when they are the same. */
export function differences(found: State, wanted: State): string[] {
  const [is, should] = [factsOf(found), factsOf(wanted)]
  const names = [...new Set([...is.keys(), ...should.keys()])]
  return names
    .filter((name) => is.get(name) !== should.get(name))
    .map((name) => `${name}: ${is.get(name) ?? 'none'}, not ${should.get(name) ?? 'none'}`)
}

/** Groups that became alike are one; what is zero is not there. */
function factsOf({ groups, projects, events, ...plain }: State): Map<string, string | number> {
  const facts = new Map<string, string | number>(Object.entries(plain))
  for (const { count, ...alike } of groups) {
    const name = `users ${JSON.stringify(Object.entries(alike).sort())}`
    facts.set(name, Number(facts.get(name) ?? 0) + count)
  }
  for (const name of projects) facts.set(`project ${name}`, 'there')
  for (const [type, count] of Object.entries(events)) if (count > 0) facts.set(`events ${type}`, count)
  return facts
}
