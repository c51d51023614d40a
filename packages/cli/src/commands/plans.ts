/** `scriptward plans …`: a project's license plans. */

import {
  type V1PlansListResponse,
  v1PlansCreate,
  v1PlansEdit,
  v1PlansGet,
  v1PlansList,
  v1PlansRemove,
} from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type CommonFlags, type Surroundings, type Words } from '../cli.ts'
import { usage } from '../faults.ts'
import { addMembers, featuresIn, type MemberFlags, membersOf } from './plan-members.ts'

type Plan = V1PlansListResponse['plans'][number]

const DAY_MS = 86_400_000
const PROJECT = ['--project <id>', 'Project ID (default: from scriptward.json)'] as const
const ID = ['<plan>', "Plan ID, from 'plans list'"] as const

export function addPlans(program: Command, around: Surroundings): void {
  const plans = program.command('plans').description('Manage plans')
  const sub = (name: string, words: string, isDefault = false) =>
    plans.command(name, { isDefault }).description(words)
  sub('list', 'List plans', true)
    .option(...PROJECT)
    .action(acting(around, list))
  addMembers(
    sub('add', 'Create a plan and print its ID')
      .argument('<name>', 'Plan name')
      .option(...PROJECT),
  ).action(acting(around, add))
  addMembers(sub('edit', 'Edit a plan; the change applies to every key on it').argument(...ID))
    .option('--name <text>', 'New name')
    .option('--without-feature <name>', 'Feature to remove; repeatable', gather)
    .action(acting(around, edit))
  sub('remove', 'Delete a plan')
    .argument(...ID)
    .option('--move-to <plan>', 'Plan ID to move the users to; required if the plan has users')
    .requiredOption('--yes', 'Confirm; this cannot be undone')
    .action(acting(around, remove))
}

const gather = (one: string, before: readonly string[] = []) => [...before, one]

async function list(cli: Cli): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { plans } = (await v1PlansList({ client, path: { project_id }, throwOnError: true })).data
  cli.out.rows({
    head: ['PLAN', 'NAME', 'DURATION', 'STARTS', 'USERS', 'DEVICES', 'FEATURES'],
    rows: plans.map((one) => [
      one.id,
      one.name,
      lengthOf(one),
      one.clock.basis === 'first_use' ? 'first use' : 'creation',
      String(one.users),
      String(one.max_devices),
      Object.keys(one.features).join(', '),
    ]),
    values: plans,
    empty: "This project has no plans yet. Create one with 'scriptward plans add Pro'.",
  })
}

function lengthOf({ clock: { duration } }: Plan): string {
  return duration === null ? 'unlimited' : `${Math.round((duration / DAY_MS) * 100) / 100}d`
}

async function add(cli: Cli, flags: CommonFlags & MemberFlags, words: Words): Promise<void> {
  const features = featuresIn(flags.feature)
  const body = { name: words.text(0), ...membersOf(flags), ...(flags.feature ? { features } : {}) }
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { plan_id } = (await v1PlansCreate({ client, path, body, throwOnError: true })).data
  cli.out.json({ plan_id })
  cli.out.line(plan_id)
}

type EditFlags = CommonFlags &
  MemberFlags & { readonly name?: string; readonly withoutFeature?: readonly string[] }

async function edit(cli: Cli, flags: EditFlags, words: Words): Promise<void> {
  const { name, feature, withoutFeature = [] } = flags
  const given = featuresIn(feature)
  const members = { ...membersOf(flags), ...(name === undefined ? {} : { name }) }
  const changesFeatures = feature !== undefined || withoutFeature.length > 0
  if (!changesFeatures && Object.keys(members).length === 0)
    throw usage("Nothing to change. See 'scriptward help plans edit' for the available options.")
  const path = { plan_id: words.text(0) }
  const { client } = await cli.service()
  const features = async () => {
    const { plan } = (await v1PlansGet({ client, path, throwOnError: true })).data
    return featuresAfter(plan, given, withoutFeature)
  }
  // Sends all features, because the API replaces the entire set.
  const body = { ...members, ...(changesFeatures ? { features: await features() } : {}) }
  await v1PlansEdit({ client, path, body, throwOnError: true })
  cli.out.json({ ...path, done: true })
  cli.out.line(`updated ${path.plan_id}`)
}

function featuresAfter(
  { features }: Plan,
  given: Plan['features'],
  without: readonly string[],
): Plan['features'] {
  const missing = without.find((name) => !Object.hasOwn(features, name))
  if (missing !== undefined) throw usage(`This plan has no feature '${missing}'.`)
  const kept = Object.entries(features).filter(([name]) => !without.includes(name))
  return { ...Object.fromEntries(kept), ...given }
}

async function remove(cli: Cli, { moveTo }: CommonFlags & { readonly moveTo?: string }, words: Words) {
  const path = { plan_id: words.text(0) }
  const { client } = await cli.service()
  const body = moveTo === undefined ? {} : { move_to: moveTo }
  await v1PlansRemove({ client, path, body, throwOnError: true })
  cli.out.json({ ...path, done: true })
  const moved = moveTo === undefined ? '' : ` and moved its users to ${moveTo}`
  cli.out.line(`removed ${path.plan_id}${moved}`)
}
