/** `scriptward plans …`: what keys of a project may follow. */

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
const PROJECT = ['--project <id>', 'the project; the one of scriptward.json if left out'] as const
const ID = ['<plan>', "its id, as 'plans list' shows it"] as const

export function addPlans(program: Command, around: Surroundings): void {
  const plans = program.command('plans').description('list, make and change what keys may follow')
  const sub = (name: string, words: string, isDefault = false) =>
    plans.command(name, { isDefault }).description(words)
  sub('list', 'list the plans of a project', true)
    .option(...PROJECT)
    .action(acting(around, list))
  addMembers(
    sub('add', 'make a plan, and print its id')
      .argument('<name>')
      .option(...PROJECT),
  ).action(acting(around, add))
  addMembers(sub('edit', 'change a plan, and with it what its keys may do').argument(...ID))
    .option('--name <text>', 'another name')
    .option('--without-feature <name>', 'take a feature away; may be given several times', gather)
    .action(acting(around, edit))
  sub('remove', 'remove a plan')
    .argument(...ID)
    .option('--move-to <plan>', 'the plan to move its users to; required if it has any')
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(acting(around, remove))
}

const gather = (one: string, before: readonly string[] = []) => [...before, one]

async function list(cli: Cli): Promise<void> {
  const project_id = await cli.projectId()
  const { client } = await cli.service()
  const { plans } = (await v1PlansList({ client, path: { project_id }, throwOnError: true })).data
  cli.out.rows({
    head: ['PLAN', 'NAME', 'LASTS', 'FROM', 'USERS', 'DEVICES', 'FEATURES'],
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
    empty: "This project has no plans yet. Add one with 'scriptward plans add Pro'.",
  })
}

function lengthOf({ clock: { duration } }: Plan): string {
  return duration === null ? 'for ever' : `${Math.round((duration / DAY_MS) * 100) / 100}d`
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
    throw usage("Nothing to change: 'scriptward help plans edit' lists what a plan has.")
  const path = { plan_id: words.text(0) }
  const { client } = await cli.service()
  const features = async () => {
    const { plan } = (await v1PlansGet({ client, path, throwOnError: true })).data
    return featuresAfter(plan, given, withoutFeature)
  }
  // The service takes all features at once.
  const body = { ...members, ...(changesFeatures ? { features: await features() } : {}) }
  await v1PlansEdit({ client, path, body, throwOnError: true })
  cli.out.json({ ...path, done: true })
  cli.out.line(`${path.plan_id} is changed`)
}

function featuresAfter(
  { features }: Plan,
  given: Plan['features'],
  without: readonly string[],
): Plan['features'] {
  const missing = without.find((name) => !Object.hasOwn(features, name))
  if (missing !== undefined) throw usage(`The plan has no feature ${missing}.`)
  const kept = Object.entries(features).filter(([name]) => !without.includes(name))
  return { ...Object.fromEntries(kept), ...given }
}

async function remove(cli: Cli, { moveTo }: CommonFlags & { readonly moveTo?: string }, words: Words) {
  const path = { plan_id: words.text(0) }
  const { client } = await cli.service()
  const body = moveTo === undefined ? {} : { move_to: moveTo }
  await v1PlansRemove({ client, path, body, throwOnError: true })
  cli.out.json({ ...path, done: true })
  const moved = moveTo === undefined ? '' : `; its users follow ${moveTo}`
  cli.out.line(`${path.plan_id} is removed${moved}`)
}
