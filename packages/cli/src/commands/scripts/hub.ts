/**
 * `scriptward hub`: prints the hub line for all games in a project, the scripts that it runs, and the games
 * without a script.
 */

import { type V1ProjectsHubResponse, v1ProjectsHub } from '@scriptward/sdk'
import type { Command } from 'commander'
import { acting, type Cli, type Surroundings } from '../../cli.ts'

const HELP = `
Set a script's places and games with 'scriptward scripts edit', for example with --places 920587237 or --games any.`

export function addHub(program: Command, around: Surroundings): void {
  program
    .command('hub')
    .description("Show the universal loader, each script's games, and unsupported games")
    .option('--project <id>', 'Project ID (default: from scriptward.json)')
    .addHelpText('after', HELP)
    .action(acting(around, hub))
}

async function hub(cli: Cli): Promise<void> {
  const path = { project_id: await cli.projectId() }
  const { client } = await cli.service()
  const { success: _, ...shown } = (await v1ProjectsHub({ client, path, throwOnError: true })).data
  const { out } = cli
  out.json(shown)
  if (out.isJson) return
  out.line(shown.line)
  out.rows({
    head: ['SCRIPT', 'NAME', 'PLACES', 'GAMES'],
    rows: shown.targets.map(cellsOf),
    values: [],
    empty: "No script has places or games yet. Set them with 'scriptward scripts edit --places'.",
  })
  printDemand(cli, shown)
}

function cellsOf({ script_id, name, places, games }: V1ProjectsHubResponse['targets'][number]): string[] {
  return [script_id, name, ...[places, games].map((ids) => ids.join(',') || '-')]
}

function printDemand({ out }: Cli, { demand, other_requests }: Omit<V1ProjectsHubResponse, 'success'>): void {
  out.rows({
    head: ['UNSUPPORTED PLACE', 'GAME', 'REQUESTS', 'LAST SEEN'],
    rows: demand.map(({ place_id, game_id, requests, last_seen }) => [
      ...[place_id, game_id].map((id) => (id === '0' ? '-' : id)),
      ...[String(requests), out.when(last_seen)],
    ]),
    values: [],
    empty: 'No requests from unsupported games in the last 30 days.',
  })
  if (other_requests > 0) out.note(`${other_requests} more requests came from other games.`)
}
