/** Plans and scripts as command options: autocompleted in the chat, and looked up by ID or name. */
import { listPlans, type PlanRow } from '../plans/store.ts'
import { findScriptSubject, type ScriptSubject } from '../projects/store/subjects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import { Problem, problem } from './act.ts'
import type { Asked, Option, Suggestion } from './command.ts'
import { say, value } from './text.ts'

const MAX_SUGGESTIONS = 25
/** Maximum input length. This is enough for an ID or for a name, which has at most 100 characters. */
const LONGEST = 100

type Named = { readonly id: string; readonly name: string }

const listPlanNames = ({ deps, subject }: Asked): Promise<readonly PlanRow[]> =>
  listPlans(deps.db.read, subject.project.id)
const listOwnScripts = ({ deps, subject }: Asked): Promise<readonly Named[]> =>
  listScriptNames(deps.db.read, subject.customer.id, subject.project.id)

export const planOption: Option = {
  name: 'plan',
  summary: 'Plan',
  kind: 'choice',
  isRequired: true,
  longest: LONGEST,
  suggest: async (asked, typed) => suggestions(await listPlanNames(asked), typed),
}
export const scriptOption: Option = {
  name: 'script',
  summary: 'Script',
  kind: 'choice',
  longest: LONGEST,
  suggest: async (asked, typed) => suggestions(await listOwnScripts(asked), typed),
}

/** Lists names that start with the input first. */
function suggestions(all: readonly Named[], typed: string): Suggestion[] {
  const part = typed.trim().toLowerCase()
  const found = all.filter(({ name }) => name.toLowerCase().includes(part))
  const isFirst = ({ name }: Named) => name.toLowerCase().startsWith(part)
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))]
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id, name }) => ({ name, value: id }))
}

export async function findPlan(asked: Asked, typed: string): Promise<PlanRow | Problem> {
  return choose(await listPlanNames(asked), typed, 'plan')
}

export async function findScript(asked: Asked, typed: string): Promise<ScriptSubject | Problem> {
  const found = choose(await listOwnScripts(asked), typed, 'script')
  if (found instanceof Problem) return found
  const { deps, subject } = asked
  const script = await findScriptSubject(deps.db.readPoint, { customerId: subject.customer.id }, found.id)
  return script ?? new Problem(problem('This script has been removed.'))
}

/** Chat services don't force users to pick a suggestion, so the input may be a typed name. */
function choose<T extends Named>(all: readonly T[], typed: string, noun: 'plan' | 'script'): T | Problem {
  const name = typed.trim().toLowerCase()
  const found = all.find(({ id }) => id === typed)
  const named = found ? [found] : all.filter((one) => one.name.trim().toLowerCase() === name)
  const [first] = named
  if (first !== undefined && named.length === 1) return first
  if (all.length === 0)
    return new Problem(problem(`This project has no ${noun} yet. Add one in the dashboard first.`))
  const shown = value(typed)
  return new Problem(
    problem(
      first === undefined
        ? say`There is no ${noun} “${shown}”. Choose one from the list that appears while you type.`
        : say`Several ${noun}s are named “${shown}”. Choose one from the list that appears while you type.`,
    ),
  )
}
