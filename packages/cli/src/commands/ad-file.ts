/** Reads the JSON file for `scriptward ads add`, which describes an ad system and its checkpoints. */

import type { V1AdCheckpointsCreateData, V1AdSystemsCreateData } from '@scriptward/sdk'
import type { Cli } from '../cli.ts'
import { durationOf } from '../durations.ts'
import { usage } from '../faults.ts'
import { readInput } from '../input.ts'

type System = Omit<V1AdSystemsCreateData['body'], 'project_id'>
type Members = NonNullable<V1AdCheckpointsCreateData['body']>
/** If omitted, the provider's API creates the link. */
export type Step = Omit<Members, 'provider'> & { readonly provider: string }
export type AdFile = {
  readonly system: System
  /** Last segment of the page URL. */
  readonly url: string | undefined
  readonly steps: readonly Step[]
}

type Given = Readonly<Record<string, unknown>>

/** Checks only the overall shape. The API validates the fields and names the invalid ones. */
export async function readAdFile(cli: Cli, file: string): Promise<AdFile> {
  const { url, checkpoints = [], key_duration, max_duration, ...others } = await readObject(cli, file)
  if (typeof others.name !== 'string') throw usage(`${file}: "name" is missing.`)
  if (!Array.isArray(checkpoints) || !checkpoints.every(isStep))
    throw usage(`${file}: "checkpoints" must be an array of objects with a "provider".`)
  if (url !== undefined && typeof url !== 'string') throw usage(`${file}: "url" must be a string.`)
  return {
    system: { ...others, ...lasting({ key_duration, max_duration }) } as System,
    url,
    steps: checkpoints,
  }
}

async function readObject(cli: Cli, file: string): Promise<Given> {
  const text = (await readInput(cli, file)).toString('utf8')
  const value = parse(text, file)
  if (!isObject(value)) throw usage(`${file}: must be a JSON object with "name" and "checkpoints".`)
  return value
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`${file}: not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** Durations may also use the command line's format, such as `12h`. */
function lasting(given: Given): Given {
  const some = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    some.map(([name, value]) => [name, typeof value === 'string' ? durationOf(value) : value]),
  )
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStep(value: unknown): value is Step {
  return isObject(value) && typeof value.provider === 'string'
}
