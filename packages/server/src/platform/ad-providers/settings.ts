/** Settings shared by several providers. */
import { type TString, Type } from 'typebox'
import type { Setting } from './provider.ts'

/**
 * Schema of a secret that is sent in a header or query, and must therefore be printable and have no spaces.
 */
export function secretText(minLength: number, maxLength: number, name: string): TString {
  return Type.String({
    minLength,
    maxLength,
    pattern: '^[\\x21-\\x7e]+$',
    description: `${name}: ${minLength} to ${maxLength} printable characters without spaces`,
  })
}

export const CHECK_IP = ['off', 'prefix', 'exact'] as const

export const checkIp = Type.Unsafe<(typeof CHECK_IP)[number]>({
  enum: [...CHECK_IP],
  default: 'prefix',
  description: CHECK_IP.join(', ').replace(/, (?=\w+$)/, ' or '),
})

export const checkIpSetting: Setting = {
  id: 'check_ip',
  name: 'Compare IP addresses',
  type: 'text',
  info: "How the IP address seen by the ad network is compared with the visitor's: off, prefix or exact.",
  required: false,
}
