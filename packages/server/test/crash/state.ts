/** The observable state of a project, and how its owner's changes affect it. */

/** Users who are equal in every observed property, including the note, which identifies the group. */
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
  /** Names of additional projects. */
  readonly projects: readonly string[]
  readonly versions: number
  /** Source of the latest version. */
  readonly source: string
  readonly executions: number
  /** The number of recorded events by type. */
  readonly events: Readonly<Record<string, number>>
}

/** A newly created user, before any change. */
export const NEW = { expires: null, bound: false, linked: false, executions: 0, blacklisted: false } as const

export const withGroup = (state: State, group: Group): State => ({
  ...state,
  groups: [...state.groups, group],
})

export const withEvent = (state: State, type: string): State => ({
  ...state,
  events: { ...state.events, [type]: (state.events[type] ?? 0) + 1 },
})

/** Applies a change to each group, and drops the groups for which the change returns undefined. */
export const changeGroups = (state: State, change: (group: Group) => Group | undefined): State => ({
  ...state,
  groups: state.groups.map(change).filter((group) => group !== undefined),
})

/** Changes only the group with this note. */
export const changeGroup = (state: State, note: string, change: (group: Group) => Group | undefined): State =>
  changeGroups(state, (group) => (group.note === note ? change(group) : group))

export const isUnused = ({ executions, bound, linked }: Group): boolean =>
  executions === 0 && !bound && !linked

/** One line for each difference between two states; empty if they are equal. */
export function differences(found: State, wanted: State): string[] {
  const [is, should] = [factsOf(found), factsOf(wanted)]
  const names = [...new Set([...is.keys(), ...should.keys()])]
  return names
    .filter((name) => is.get(name) !== should.get(name))
    .map((name) => `${name}: ${is.get(name) ?? 'none'}, not ${should.get(name) ?? 'none'}`)
}

/** Merges groups that have become equal, and leaves out zero counts. */
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
