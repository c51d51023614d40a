/**
 * Runs the rounds of one test. In each round, eight writers run, the server is killed and restarted, and the
 * data is compared with the expected state.
 */
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Engine, Location } from '../databases.ts'
import { Caller, Lost } from './caller.ts'
import { ADMIN_KEY, type Sabotage, type Service, startService } from './child.ts'
import { contradictions } from './counts.ts'
import { Writer } from './writer.ts'

const WRITERS = 8
/**
 * Minimum number of acknowledged requests before the kill; a fixed duration would be meaningless on a slow
 * machine.
 */
const FEWEST = 8
const MOST = 240
/**
 * This number is lower with a saboteur: it slows the server down, and a kill at nearly any moment exposes it.
 */
const MAX_PER_SABOTEUR = 40
/**
 * Maximum random delay between the last acknowledged request and the kill. Without this delay, every kill
 * would come at the start of a change.
 */
const LATEST_MS = 120
const MAX_TRIES = 5

export type Rounds = {
  readonly rounds: number
  readonly sabotage?: Sabotage
  /** Stops the server gracefully instead of killing it. */
  readonly gently?: true
}
export type Outcome = { readonly acknowledged: number; readonly wrong: readonly string[] }

/** Stops after the first round that finds an error. */
export async function playRounds(engine: Engine, { rounds, sabotage, gently }: Rounds): Promise<Outcome> {
  const location = await engine.locate()
  let service = await startService(location, sabotage)
  const most = sabotage === undefined ? MOST : MAX_PER_SABOTEUR
  let acknowledged = 0
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const writers = await writeUntilEnd(service, { round, most, end: gently ? service.stop : service.kill })
      acknowledged += acknowledgedBy(writers)
      service = await startService(location, sabotage)
      const wrong = await compare(service, location, writers)
      if (wrong.length > 0) return { acknowledged, wrong: wrong.map((words) => `round ${round}: ${words}`) }
    }
    return { acknowledged, wrong: [] }
  } finally {
    await service.kill()
    await location.remove()
  }
}

type Ending = { readonly round: number; readonly most: number; readonly end: () => Promise<void> }

async function writeUntilEnd({ url }: Service, { round, most, end }: Ending): Promise<Writer[]> {
  const caller = new Caller(url, ADMIN_KEY)
  const names = Array.from({ length: WRITERS }, (_, index) => `round ${round} writer ${index}`)
  const writers = await Promise.all(names.map((name) => createWriter(caller, name)))
  const offset = randomInt(1000)
  const writing = Promise.all(writers.map((writer, index) => writer.run(caller, offset + 2 * index)))
  await untilAcknowledged(writers, randomInt(FEWEST, most))
  await end()
  await writing
  return writers
}

/** Retries under another name while the server is too busy to confirm the request. */
async function createWriter(caller: Caller, name: string, tries = 1): Promise<Writer> {
  try {
    return await Writer.create(caller, `${name} try ${tries}`)
  } catch (error) {
    if (!(error instanceof Lost) || tries === MAX_TRIES) throw error
    return createWriter(caller, name, tries + 1)
  }
}

async function untilAcknowledged(writers: readonly Writer[], count: number): Promise<void> {
  while (acknowledgedBy(writers) < count && writers.some((writer) => writer.isWriting)) await setTimeout(1)
  await setTimeout(randomInt(LATEST_MS))
}

function acknowledgedBy(writers: readonly Writer[]): number {
  return writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
}

async function compare({ url }: Service, location: Location, writers: Writer[]): Promise<string[]> {
  const caller = new Caller(url, ADMIN_KEY)
  const wrong = await Promise.all(writers.map((writer) => writer.verify(caller)))
  return [...wrong.flat(), ...(await contradictions(location))]
}
