/**
 * Sends requests generated from the OpenAPI document to a real server until the requested number has been
 * answered. A failing case is shrunk as far as possible, and printed with the seed that reproduces it.
 */
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import type { Engine } from '../databases.ts'
import { startServer } from '../harness.ts'
import { readOperations } from './document.ts'
import { type Request, requestGroups } from './requests.ts'
import { Wire } from './wire.ts'
import { type Stage, setStage, World } from './world.ts'

/** Every operation must have been reached after this many requests. */
const MANY = 10_000
/** Number of concurrent worlds, which spend most of their time waiting for the disk. */
const LANES = 4
const WORLDS_AT_A_TIME = 10
/** Timeout for a hung run. */
const MAX_MS = 3_600_000
/** Time limit for shrinking a failure. A failure that depends on timing may not recur. */
const MAX_SEARCH_MS = 90_000
const FOREVER = 2_147_483_647

/** Parameters of `npm run fuzz`. */
const { SCRIPTWARD_FUZZ_REQUESTS: told, SCRIPTWARD_FUZZ_SEED: toldSeed } = process.env
const OPERATIONS = readOperations()
const requests = told === undefined ? effort({ day: 1000, night: 25_000 }) : Number(told)

export function fuzzOn(engine: Engine): void {
  it(`${requests} requests on ${engine.name} are answered as documented, and never with a server error`, {
    timeout: told !== undefined ? FOREVER : MAX_MS,
  }, async () => {
    const config = { logLevel: 'error', sessionWaitMs: 10, importLimit: 100, generateLimit: 50 }
    const server = await startServer(engine, { config })
    const wire = new Wire(server.url)
    try {
      const tally = await fuzz(await setStage(server, wire, OPERATIONS))
      expect(tally.sent).toBeGreaterThanOrEqual(requests)
      if (requests >= MANY) expect(unreached(tally)).toEqual([])
      expect(server.log).toEqual([])
    } finally {
      wire.close()
      await server.close()
    }
  })
}

type Tally = { sent: number; seed: number; readonly reached: Set<string> }

async function fuzz(stage: Stage): Promise<Tally> {
  const tally: Tally = { sent: 0, seed: firstSeed(), reached: new Set() }
  const lanes = Array.from({ length: toldSeed === undefined ? LANES : 1 }, () => playLane(stage, tally))
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected')
  if (failed) throw failed.reason
  return tally
}

async function playLane(stage: Stage, tally: Tally): Promise<void> {
  let world: World | undefined
  const property = fc.asyncProperty(requestGroups(stage.operations), async (groups) => {
    world = await World.create(stage, world)
    await play(world, groups, tally)
  })
  while (goesOn(tally)) {
    const seed = tally.seed++
    await fc
      .assert(property, { seed, numRuns: WORLDS_AT_A_TIME, interruptAfterTimeLimit: MAX_SEARCH_MS })
      .catch((failure: unknown) => {
        // Marking all requests as sent also stops the other lanes.
        tally.sent = Number.POSITIVE_INFINITY
        throw failure
      })
    report(tally, seed)
  }
}

/**
 * Whether to continue. A run may exceed the requested number of requests, because chance decides when an
 * operation is reached. The excess is limited, because the generator might be unable to produce some
 * operation at all.
 */
function goesOn(tally: Tally): boolean {
  const isWhole = requests < MANY || unreached(tally).length === 0
  return tally.sent < requests || (!isWhole && tally.sent < requests * 4)
}

async function play(world: World, groups: readonly (readonly Request[])[], tally: Tally): Promise<void> {
  for (const group of groups) {
    const outcomes = await Promise.allSettled(group.map((request) => world.send(request)))
    tally.sent += group.length
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason
      for (const name of outcome.value) tally.reached.add(name)
    }
  }
}

function firstSeed(): number {
  return toldSeed === undefined ? randomInt(2 ** 31) : Number(toldSeed)
}

/**
 * Operations that random requests can't reach. `client.chunk` needs a script larger than any in these runs,
 * and only a token can revoke itself. Passwords, codes, link secrets, and the key that a device belongs to
 * can't be guessed. `features/devices/devices.service.test.ts` tests naming and removing devices. No user has
 * just been removed as an owner (see `features/people/owners.service.test.ts`). No API key is waiting for an
 * owner, because the server under test can send email (see
 * `features/accounts/endpoints/account.service.test.ts`).
 */
const BEYOND_REACH =
  /^client\.chunk$|^v1\.account\.takeKey$|^admin\.people\.objection$|^v1\.(tokens\.exchange|me\.revoke|userDevices\.(name|remove))$|^v1\.auth\.((password|confirm|signUp|setUp|reset|invitation|objection|secondFactor)(\.|$)|totp\.(finish|remove)|recoveryCodes|passkeys\.(finish|confirm|addFinish))/

const NAMES = OPERATIONS.map(({ name }) => name)

/** Operations that never succeeded. If all requests failed, the run would find no bugs. */
function unreached({ reached }: Tally): string[] {
  return NAMES.filter((name) => !reached.has(name) && !BEYOND_REACH.test(name))
}

/** Prints the result only if the fuzzer was started explicitly; a test run has its own report. */
function report({ sent }: Tally, seed: number): void {
  if (told !== undefined) process.stderr.write(`${sent} requests, up to seed ${seed}\n`)
}
