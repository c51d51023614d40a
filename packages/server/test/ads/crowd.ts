/**
 * Simulates many concurrent visitors who complete all steps of one ad system. Each visitor has a separate
 * network.
 */
import { begin, newVisitor, type System, WATCHING_MS } from './scene.ts'
import { keyOf, type Shown, type Visitor } from './visitor.ts'

type Walker = { readonly visitor: Visitor; page: Shown }

/**
 * Returns the visitors' keys. All visitors leave, return and finish together, so that the clock advances once
 * for all of them.
 */
export async function crowd(clock: { now: number }, system: System, size: number): Promise<string[]> {
  const visitors = Array.from({ length: size }, () => newVisitor())
  const walkers = await Promise.all(
    visitors.map(async (visitor): Promise<Walker> => ({ visitor, page: await begin(system, visitor) })),
  )
  for (const _ of system.checkpoints) await passTogether(clock, walkers)
  const pages = await Promise.all(walkers.map(({ visitor, page }) => visitor.submit(page, '/claim')))
  return pages.map(keyOf)
}

async function passTogether(clock: { now: number }, walkers: readonly Walker[]): Promise<void> {
  const outs = await Promise.all(walkers.map(({ visitor, page }) => visitor.leave(page)))
  clock.now += WATCHING_MS
  await Promise.all(
    walkers.map(async (walker, at) => {
      walker.page = await walker.visitor.open(await walker.visitor.watch(outs[at] ?? ''))
    }),
  )
}
