/**
 * Runs Luau programs in a mock executor and game, with Instances, the functions that hubs use, and real
 * requests.
 */
import { readFileSync } from 'node:fs'
import type { LuauOutcome } from '../../packages/client/test/luau-host.ts'
import { runLuau } from '../../packages/client/test/run-loader.ts'

const source = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const CLIENT = '../../packages/client'
const INSTANCES = source(`${CLIENT}/preview/instances.lua`)
const JSON_LUA = source(`${CLIENT}/lua/json.lua`)
const EXECUTOR = source('executor.luau').replace('--[[json.lua]]', () => JSON_LUA)

export type Place = { readonly id: string; readonly game: string }
export const FARM: Place = { id: '4100000000001', game: '510000001' }
export const RACE: Place = { id: '4100000000002', game: '510000002' }

export type InGame = {
  readonly place: Place
  /** Maps the hosts of `https://` URLs to the URLs that serve them. */
  readonly hosts: Readonly<Record<string, string>>
  /** Lua code that the executor runs, and code that it runs ten seconds later; see executor.luau. */
  readonly line: string
  readonly lines?: string
  /** Lua code to run before `line`. */
  readonly before?: string
  readonly files?: Readonly<Record<string, string>>
}

/** Returns the output, and the executor's files. */
export async function runInGame(run: InGame): Promise<Pick<LuauOutcome, 'stdout' | 'files'>> {
  const { place, hosts, line, lines = '', before = '', files = {} } = run
  const web = Object.entries(hosts).map(([host, url]) => `['${host}'] = '${url}'`)
  const settings = `web = { ${web.join(', ')} } place = { id = ${place.id}, game = ${place.game} }`
  const text = `task.spawn(function() ${line}\nend) settle() ${lines}`
  const outcome = await runLuau({ text, files, before: `${settings}\n${INSTANCES}\n${EXECUTOR}\n${before}` })
  if (outcome.status !== 0) throw new Error(outcome.stderr)
  return outcome
}
