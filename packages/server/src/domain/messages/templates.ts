/**
 * What a version sends to chat channels: checked at the upload, kept sealed with the version. Each address becomes an
 * additional address of the project that gets no events, so its deliveries, pauses and retries are those of all webhooks.
 */
import { type Message, paramOf } from '@scriptward/obfuscator'
import { RE2JS } from 're2js'
import type { Deps } from '../../deps.ts'
import type { Complaint } from '../../obfuscation/build.ts'
import type { Template } from '../../protocol/payload-cache.ts'
import type { Queries } from '../../store/engine/db.ts'
import { countAddresses, insertAddress, listWebhooks } from '../../store/tables/webhooks.ts'
import { readAddress } from '../../webhooks/address.ts'
import { newId } from '../ids.ts'
import { type Refused, refuse } from '../refusals.ts'
import { MAX_ADDRESSES, sealSecret } from '../webhooks/additional.ts'
import { isAdditional, openAddress, sealAddress } from '../webhooks/addresses.ts'

const LONGEST_PATTERN = 500
/** Instructions of all patterns of a message: its values, of 2,000 characters each, are matched on the event loop. */
const LARGEST_PROGRAM = 1000
const TOO_MANY = `the project has ${MAX_ADDRESSES} webhook addresses already: remove one of them, or send to one that is there`
const ADDRESS_NAME = 'Webhooks of scripts'

/** What is wrong with addresses and patterns, each with its place in the source. */
export function checkMessages({ config }: Pick<Deps, 'config'>, messages: readonly Message[]): Complaint[] {
  return messages.flatMap((message) => {
    const address = readAddress(message.address, config)
    let room = LARGEST_PROGRAM
    const wrong = message.values.flatMap((value) => {
      if (value.pattern === null) return []
      const size = sizeOf(value.pattern)
      if (typeof size === 'string') return [complain(value, size)]
      room -= size
      return room < 0 ? [complain(value, TOO_SLOW)] : []
    })
    if (typeof address !== 'string') return wrong
    return [complain(message, `the address of this webhook ${address}`), ...wrong]
  })
}

const TOO_SLOW =
  'the patterns of this message could take too long together: write smaller numbers of repeats, or fewer patterns'

/** Instructions of a pattern, or what is wrong with it. */
function sizeOf(pattern: string): number | string {
  if (pattern.length > LONGEST_PATTERN) return `this pattern has more than ${LONGEST_PATTERN} characters`
  const [repeat] = /\{\d+,\s+\d+\}/.exec(pattern) ?? []
  if (repeat !== undefined)
    return `'${repeat}' in this pattern repeats nothing: write ${repeat.replace(/\s/g, '')}`
  try {
    const size = RE2JS.compile(pattern).programSize()
    return size > LARGEST_PROGRAM
      ? 'this pattern could take too long: write smaller numbers of repeats'
      : size
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return `this pattern is no regular expression of RE2: ${words}. Look-around and back references are not in it`
  }
}

/** Sealed for the version's row. Adds the addresses that the project does not have yet. */
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
      return refuse('obfuscation_failed', { obfuscator_errors: [complain(message, TOO_MANY)] })
    known.set(href, webhook)
    templates.push({ line, webhook, body, patterns: values.map(({ pattern }) => pattern) })
  }
  return deps.secrets.seal('messages', scriptId, JSON.stringify(templates))
}

type Placed = Pick<Message, 'file' | 'line' | 'column'>

function complain({ file, line, column }: Placed, words: string): Complaint {
  const param = file === null ? 'script' : paramOf(file)
  return { param, message: `line ${line}, column ${column}: ${words}` }
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

/** Undefined when the project has as many as it may. */
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
