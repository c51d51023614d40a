/** Setup for tests of checkpoints: an ad system and its checkpoints. */
import type { Owner, TestServer } from '../../harness.ts'
import { createOwner } from '../../nouns.ts'

export type AdSystem = { readonly owner: Owner; readonly path: string; readonly id: string }
export type Checkpoint = Readonly<Record<string, unknown>> & { readonly id: string; readonly index: number }

export const TOKEN = 'abcdefgh0123456789wxyz'
export const DRAFT = {
  name: 'Step',
  url: 'https://links.example.com/abc',
  provider: 'provider_a',
  provider_data: { token: TOKEN },
}

/** `path` is the path of the system's checkpoints. */
export async function createAdSystem(server: TestServer): Promise<AdSystem> {
  const { owner, project: project_id } = await createOwner(server)
  const id = (await owner.post('/v1/adsystems/new', { project_id, name: 'Ads' })).string('system_id')
  return { owner, id, path: `/v1/adsystems/${id}/checkpoints` }
}

export async function createCheckpoint(
  { owner, path }: AdSystem,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  await owner.post(`${path}/prepare`)
  return (await owner.post(`${path}/new`, { ...DRAFT, ...changes })).string('checkpoint_id')
}

export async function listCheckpoints({ owner, path }: AdSystem): Promise<Checkpoint[]> {
  return (await owner.get(path)).body.checkpoints as Checkpoint[]
}

export async function readCheckpoint({ owner }: AdSystem, id: string): Promise<Checkpoint> {
  return (await owner.get(`/v1/adcheckpoints/${id}`)).body.checkpoint as Checkpoint
}
