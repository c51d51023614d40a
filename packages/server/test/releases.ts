/** Setup for release tests: adds to a version's customer counts, and runs the guard's review. */
import { reviewReleases } from '../src/features/releases/review-releases.ts'
import type { TestServer } from './harness.ts'
import { insertRows } from './stored.ts'

type Side = {
  readonly fresh: 0 | 1
  readonly customers: number
  readonly bad: number
  readonly executor?: string
}

/** Adds to a version's customer counts, as if these customers had run it. */
export async function countCustomers(
  server: TestServer,
  release_id: string,
  { fresh, customers, bad, executor = 'Garden' }: Side,
): Promise<void> {
  const rows = Array.from({ length: customers }, (_, i) => {
    const name = `${executor} ${fresh} ${i}`
    return { release_id, fresh, executor, bad: i < bad ? 1 : 0, customer: name, exec: name } as const
  })
  await insertRows(server, 'release_customers', rows)
}

export async function reviewAll(server: TestServer): Promise<void> {
  await reviewReleases(server.deps, () => server.clock.now).run(new AbortController().signal)
}
