/**
 * Setup for visitor tests: a server with providers of all three styles, and an ad system with the checkpoints
 * that a test requests. Each visitor has a separate network, so that tests don't use up each other's rate
 * limits.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { adProviders as providerList } from '../../src/platform/ad-providers/list.ts'
import type { Engine } from '../databases.ts'
import { type Owner, startServer, type TestServer } from '../harness.ts'
import { createProject } from '../nouns.ts'
import { FakeProviders, TOKEN_A, TOKEN_B } from './providers.ts'
import { type Shown, Visitor } from './visitor.ts'

export type Style = 'a' | 'b' | 'c'
export type Step = { readonly style: Style; readonly changes?: Readonly<Record<string, unknown>> }
export type Scene = { readonly server: TestServer; readonly providers: FakeProviders }
export type System = {
  readonly owner: Owner
  readonly project: string
  readonly id: string
  /** The page where visitors start. */
  readonly url: string
  readonly checkpoints: readonly Checkpoint[]
}
type Checkpoint = {
  readonly id: string
  readonly link: string
  readonly callback_url: string
  readonly postback_url: string
}

/** Longer than the minimum viewing time of every provider. */
export const WATCHING_MS = 20_000

const LIMITS = Object.values(providerList).map((provider) => {
  const { timeoutMs, totalMs } = provider
  return { provider, own: { timeoutMs, totalMs } }
})

/**
 * Turns the production time limits for providers on or off. Without them, a busy machine can take as long as
 * it needs.
 */
export function limitProviders(isLimited: boolean): void {
  for (const { provider, own } of LIMITS)
    Object.assign(provider, isLimited ? own : { timeoutMs: 120_000, totalMs: 120_000 })
}

export function sceneOn(engine: Engine, config: Partial<Config> = {}): () => Scene {
  const scene: { server?: TestServer; readonly providers: FakeProviders } = { providers: new FakeProviders() }
  beforeAll(async () => {
    limitProviders(false)
    await scene.providers.start()
    const adProviders = scene.providers.config()
    scene.server = await startServer(engine, {
      config: { adProviders, trustProxy: ['127.0.0.1'], ...config },
    })
    scene.providers.clock = scene.server.clock
  })
  afterAll(async () => {
    limitProviders(true)
    await scene.server?.close()
    await scene.providers.close()
  })
  beforeEach(() => {
    Object.assign(scene.providers.moods, { provider_a: 'works', provider_b: 'works', provider_c: 'works' })
    scene.providers.postback = 'sent'
    // An earlier test may have left a provider marked as down.
    if (scene.server) scene.server.clock.now += 3_600_000
  })
  return () => {
    const { server, providers } = scene
    if (!server) throw new Error('the server starts with the first test: ask for it inside a test')
    return { server, providers }
  }
}

export async function createSystem(
  { server, providers }: Scene,
  steps: readonly (Step | Style)[],
  members: Readonly<Record<string, unknown>> = {},
  given?: { readonly owner: Owner; readonly project: string },
): Promise<System> {
  const owner = given?.owner ?? (await server.createCustomer())
  const project = given?.project ?? (await createProject(owner))
  const made = await owner.post('/v1/adsystems/new', { project_id: project, name: 'Free keys', ...members })
  const id = made.string('system_id')
  const checkpoints: Checkpoint[] = []
  for (const step of steps) checkpoints.push(await addCheckpoint({ providers }, { owner, id }, step))
  return { owner, project, id, url: `${server.url}/ads/${id}`, checkpoints }
}

async function addCheckpoint(
  { providers }: Pick<Scene, 'providers'>,
  { owner, id }: Pick<System, 'owner' | 'id'>,
  given: Step | Style,
): Promise<Checkpoint> {
  const { style, changes = {} } = typeof given === 'string' ? { style: given } : given
  const prepared = await owner.post(`/v1/adsystems/${id}/checkpoints/prepare`)
  const link = prepared.string('checkpoint_id').slice(-14)
  const callback_url = prepared.string('callback_url')
  const postback_url = prepared.string('postback_url')
  providers.destinations.set(link, style === 'c' ? `${callback_url}?token={TOKEN}` : callback_url)
  providers.postbacks.set(link, postback_url)
  const draft = {
    name: `Step ${style}`,
    url: style === 'b' ? `${providers.url}/b/s?${link}` : `${providers.url}/${style}/${link}`,
    provider: `provider_${style}`,
    provider_data: dataOf(style, link),
    ...changes,
  }
  const made = await owner.post(`/v1/adsystems/${id}/checkpoints/new`, draft)
  return { id: made.string('checkpoint_id'), link, callback_url, postback_url }
}

function dataOf(style: Style, link: string): Readonly<Record<string, unknown>> {
  if (style === 'a') return { token: TOKEN_A }
  return style === 'b' ? { api_token: TOKEN_B, unsigned_postbacks: true } : { link_id: link }
}

/** All visitors' networks come from one counter, in an unassigned address block. */
const networks = { next: 0 }

export function newVisitor(changes: { readonly agent?: string; readonly language?: string } = {}): Visitor {
  networks.next += 1
  const { next } = networks
  return new Visitor({ address: `198.${18 + (next >> 8)}.${next & 255}.7`, ...changes })
}

/** Opens an ad system's page and starts its steps. */
export async function begin({ url }: Pick<System, 'url'>, visitor: Visitor): Promise<Shown> {
  return visitor.submit(await visitor.open(url), '/start')
}

/** Visits the provider, views its ad for long enough, and returns. */
export async function passStep({ server }: Scene, visitor: Visitor, page: Shown): Promise<Shown> {
  const out = await visitor.leave(page)
  server.clock.now += WATCHING_MS
  return visitor.open(await visitor.watch(out))
}

/** Completes all steps, up to the page that shows the key. */
export async function passAll(scene: Scene, system: System, visitor: Visitor): Promise<Shown> {
  let page = await begin(system, visitor)
  for (const _ of system.checkpoints) page = await passStep(scene, visitor, page)
  return page
}

/** Completes the entire flow, from the first page to the key. */
export async function earn(scene: Scene, system: System, visitor: Visitor): Promise<Shown> {
  return visitor.submit(await passAll(scene, system, visitor), '/claim')
}
