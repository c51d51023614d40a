/**
 * Inserts a run's values into a message. Values can't be trusted, because a patched script can send anything.
 * They are validated only here.
 */
import type { MessageScalar } from '@scriptward/client/live-messages'
import type { MessagePart } from '@scriptward/obfuscator'
import { RE2JS } from 're2js'
import type { Template } from '../../protocol/payload-cache.ts'
import type { InstanceState } from '../sessions/store/live-instances.ts'

/** Values for `%NAME%` placeholders in constant strings. */
export type Facts = Pick<
  InstanceState,
  'key' | 'chat_id' | 'note' | 'script_name' | 'script_version' | 'executor' | 'executions' | 'address'
>

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Maximum length in characters. */
const MAX_VALUE_LENGTH = 2000
const MAX_BODY_BYTES = 64 * 1024

/** The keys are lowercase names, including the placeholder names of other services. */
const PLACEHOLDERS: Readonly<Record<string, (facts: Facts) => string | number | null>> = {
  chat_id: ({ chat_id }) => chat_id,
  discord_id: ({ chat_id }) => chat_id,
  user_key: ({ key }) => key,
  user_note: ({ note }) => note,
  script_name: ({ script_name }) => script_name,
  script_version: ({ script_version }) => script_version,
  executor: ({ executor }) => executor,
  executions: ({ executions }) => executions,
  total_executions: ({ executions }) => executions,
  network: ({ address }) => networkOf(address),
  client_ip: ({ address }) => networkOf(address),
}

/** Returns the message, or the reason for not sending it. */
export function renderMessage(
  template: Template,
  values: readonly MessageScalar[],
  facts: Facts,
): { readonly body: Json } | { readonly dropped: 'wrong_value' | 'too_long' } {
  const { body, patterns } = template
  if (values.length !== patterns.length) return { dropped: 'wrong_value' }
  if (values.some((value) => typeof value === 'string' && value.length > MAX_VALUE_LENGTH))
    return { dropped: 'too_long' }
  const engines = enginesOf(template)
  if (values.some((value, i) => engines[i]?.matches(textOf(value)) === false))
    return { dropped: 'wrong_value' }
  const filled = fill(body, values, facts) ?? {}
  return Buffer.byteLength(JSON.stringify(filled)) > MAX_BODY_BYTES
    ? { dropped: 'too_long' }
    : { body: filled }
}

/** The patterns are compiled once for each template in the payload cache. */
const compiled = new WeakMap<Template, readonly (RE2JS | null)[]>()

/** These engines match any pattern in linear time. */
function enginesOf(template: Template): readonly (RE2JS | null)[] {
  const known = compiled.get(template)
  if (known) return known
  const engines = template.patterns.map((one) => (one === null ? null : RE2JS.compile(one, RE2JS.DOTALL)))
  compiled.set(template, engines)
  return engines
}

/** Returns undefined if the part is a null value, so that the part is omitted. */
function fill(part: MessagePart, values: readonly MessageScalar[], facts: Facts): Json | undefined {
  if (typeof part === 'string') return named(part, facts)
  if (typeof part !== 'object') return part
  if ('value' in part) return values[part.value] ?? undefined
  if ('text' in part)
    return part.text
      .map((each) => (typeof each === 'string' ? named(each, facts) : textOf(values[each] ?? null)))
      .join('')
  if ('list' in part)
    return part.list.map((each) => fill(each, values, facts)).filter((each) => each !== undefined)
  const members = part.members.map(([name, each]) => [name, fill(each, values, facts)] as const)
  return Object.fromEntries(members.filter((member): member is [string, Json] => member[1] !== undefined))
}

function textOf(value: MessageScalar): string {
  return value === null ? '' : String(value)
}

function named(text: string, facts: Facts): string {
  return text.replace(/%([A-Za-z_]{2,20})%/g, (whole, name: string) => {
    const found = name.toLowerCase()
    if (!Object.hasOwn(PLACEHOLDERS, found)) return whole
    return String(PLACEHOLDERS[found]?.(facts) ?? 'N/A')
  })
}

/** Returns the network's /24 prefix for IPv4 or its /48 prefix for IPv6. */
function networkOf(digits: string | null): string | null {
  if (digits === null) return null
  if (!digits.startsWith('4')) return `${digits.slice(1, 13).replace(/(.{4})(?=.)/g, '$1:')}::/48`
  const parts = digits.slice(1, 7).match(/../g) ?? []
  return `${parts.map((part) => Number.parseInt(part, 16)).join('.')}.*`
}
