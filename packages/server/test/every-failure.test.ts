/**
 * Each failure that an endpoint declares can really be provoked, and comes with its code, words and status. An
 * endpoint that declares another one needs one more line in `failures/`; a line that nothing declares is refused.
 */
import { describe, expect, it } from 'vitest'
import { type EndpointReason, refusals } from '../src/domain/refusals.ts'
import { endpoints } from '../src/endpoints/list.ts'
import { engines } from './databases.ts'
import { sceneOf } from './failures/failure.ts'
import { failures } from './failures/list.ts'
import { serverOn } from './harness.ts'
import { runningRequests } from './running-requests.ts'

const declared = endpoints.flatMap((endpoint) =>
  Object.entries(endpoint.failures).map(([reason, code]) => ({
    endpoint,
    reason: reason as EndpointReason,
    code,
  })),
)

describe.each(engines)('every declared failure on $name', (engine) => {
  const { at } = serverOn(engine)
  it.each(declared)('$endpoint.method $endpoint.path: $code $reason', async ({ endpoint, reason, code }) => {
    const provoke = provocationOf(endpoint.name, reason)
    if (provoke === undefined)
      throw new Error(`failures/ has nothing that provokes "${reason}" at "${endpoint.name}"`)
    const answer = await provoke(sceneOf(at(), endpoint))
    const { status, message } = refusals[reason]
    expect(answer.status).toBe(status)
    expect(answer.error).toMatchObject({ code, type: reason, message })
  })

  it('counts none as running that has its answer', async () => {
    expect(await runningRequests(at().url)).toBe(0)
  })
})

it('declares every failure that failures/ provokes', () => {
  const known = new Set(
    declared.flatMap(({ endpoint, reason }) => [
      `${endpoint.name} ${reason}`,
      `${plain(endpoint.name)} ${reason}`,
    ]),
  )
  const provoked = Object.entries(failures).flatMap(([name, byReason]) =>
    Object.keys(byReason).map((reason) => `${name} ${reason}`),
  )
  expect(provoked.filter((one) => !known.has(one))).toEqual([])
})

function provocationOf(name: string, reason: EndpointReason) {
  return failures[name]?.[reason] ?? failures[plain(name)]?.[reason]
}

function plain(name: string): string {
  return name.replace(/^v1\./, '')
}
