/**
 * Messages that a version sends to webhooks, validated on upload and stored encrypted with the version. Each
 * URL becomes a custom endpoint of the project, which receives no events. Deliveries, pauses and retries
 * therefore work as for all webhooks.
 */
import type { Message } from '@scriptward/obfuscator'
import { newId } from '../../api/ids.ts'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Template } from '../../protocol/payload-cache.ts'
import type { Complaint } from '../builds/build.ts'
import { complainAt } from '../builds/patterns.ts'
import { MAX_ADDRESSES } from '../webhooks/additional.ts'
import { isAdditional, openAddress, sealAddress, sealSecret } from '../webhooks/addresses.ts'
import { readAddress } from '../webhooks/send/address.ts'
import { countAddresses, insertAddress, listWebhooks } from '../webhooks/store/webhooks.ts'

const TOO_MANY = `the project already has ${MAX_ADDRESSES} webhook endpoints; remove one, or send to an existing one`
const ADDRESS_NAME = 'Script webhooks'

/**
 * Returns what is wrong with the URLs, with the position of each URL in the source. The build has already
 * checked the patterns.
 */
export function checkMessages({ config }: Pick<Deps, 'config'>, messages: readonly Message[]): Complaint[] {
  return messages.flatMap((message) => {
    const address = readAddress(message.address, config)
    return typeof address === 'string' ? [complainAt(message, `the URL of this webhook ${address}`)] : []
  })
}

/** Encrypts the templates for the version's row, and adds any endpoints that the project doesn't have yet. */
export async function storeMessages(
  tx: Queries,
  deps: Deps,
  { projectId, scriptId }: { readonly projectId: string; readonly scriptId: string },
  messages: readonly Message[],
): Promise<Buffer | null | Refused<'obfuscation_failed'>> {
  if (messages.length === 0) return null
  const known = await knownAddresses(tx, deps, projectId)
  const templates: Template[] = []
  for (const message of messages) {
    const { line, body, values } = message
    const href = new URL(message.address).href
    const webhook = known.get(href) ?? (await addOwnAddress(tx, deps, projectId, href))
    if (webhook === undefined)
      return refuse('obfuscation_failed', { obfuscator_errors: [complainAt(message, TOO_MANY)] })
    known.set(href, webhook)
    templates.push({ line, webhook, body, patterns: values.map(({ pattern }) => pattern) })
  }
  return deps.secrets.seal('messages', scriptId, JSON.stringify(templates))
}

async function knownAddresses(
  tx: Queries,
  deps: Deps,
  projectId: string,
): Promise<Map<string, Template['webhook']>> {
  const rows = (await listWebhooks(tx, projectId)).filter(isAdditional)
  return new Map(
    rows.map(({ kind, address }) => [
      openAddress(deps, projectId, kind, address) ?? '',
      kind as Template['webhook'],
    ]),
  )
}

/** Returns undefined if the project has reached its endpoint limit. */
async function addOwnAddress(
  tx: Queries,
  deps: Deps,
  projectId: string,
  href: string,
): Promise<Template['webhook'] | undefined> {
  if ((await countAddresses(tx, projectId)) >= MAX_ADDRESSES) return undefined
  const id = newId('whk', deps.now(), deps.random) as Template['webhook']
  await insertAddress(tx, {
    project_id: projectId,
    kind: id,
    name: ADDRESS_NAME,
    address: sealAddress(deps, projectId, id, href),
    secret: sealSecret(deps, id),
    events: '[]',
  })
  return id
}
