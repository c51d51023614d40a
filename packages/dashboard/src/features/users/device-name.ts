import { text } from '../../messages/text.ts'
import type { Device } from './user.ts'

export function nameOfDevice({ name }: Device): string {
  return name ?? text.devices.unnamed
}
