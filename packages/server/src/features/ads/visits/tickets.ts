/**
 * Tickets for the page where a user can earn a key. A denied client receives a ticket, which identifies the
 * device that the key will be bound to. Nobody else can therefore use the ticket. Tickets are signed,
 * short-lived and not stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { type Device, isStrong } from '../../devices/device-data.ts'

/** `component:hash`, the form in which a bound device is stored. */
export type DeviceName = string

const TICKET_MS = 30 * 60_000
const SIGNATURE_BYTES = 16
const MAX_TICKET_LENGTH = 512

type Signing = { readonly deps: Pick<Deps, 'now' | 'secrets'>; readonly projectId: string }

/** Returns undefined if the device has no strong component. */
export function makeTicket({ deps, projectId }: Signing, device: Device): string | undefined {
  const strongest = device.components.find(isStrong)
  if (strongest === undefined || device.isAmbiguous) return undefined
  const expires = (deps.now() + TICKET_MS).toString(36)
  const content = [strongest.component, strongest.hash, projectId, expires].join(' ')
  return Buffer.concat([Buffer.from(content), sign(deps, content)]).toString('base64url')
}

/** Returns a ticket's device, or undefined if the ticket is expired, forged or for another project. */
export function readTicket({ deps, projectId }: Signing, ticket: string | undefined): DeviceName | undefined {
  if (ticket === undefined || ticket.length > MAX_TICKET_LENGTH) return undefined
  const bytes = Buffer.from(ticket, 'base64url')
  if (bytes.length <= SIGNATURE_BYTES) return undefined
  const content = bytes.subarray(0, -SIGNATURE_BYTES).toString()
  if (!timingSafeEqual(sign(deps, content), bytes.subarray(-SIGNATURE_BYTES))) return undefined
  const [component, hash, project, expires = ''] = content.split(' ')
  const isValid = project === projectId && Number.parseInt(expires, 36) > deps.now()
  return isValid ? `${component}:${hash}` : undefined
}

function sign({ secrets }: Pick<Deps, 'secrets'>, content: string): Buffer {
  const signature = createHmac('sha256', secrets.pageKey).update('ad ticket\0').update(content)
  return signature.digest().subarray(0, SIGNATURE_BYTES)
}
