/** The response to a completed sign-in, and the data recorded about the browser. */
import { Type } from 'typebox'
import { type Origin, WithCookies } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import type { Config } from '../../../config/config.ts'
import { BROWSER_COOKIE } from '../../access/credential.ts'
import type { Stepped } from '../sign-in/sign-in.ts'
import type { Whence } from '../sign-in/start-sign-in.ts'
import { signInCookies } from './sign-in-cookies.ts'

export const SignedInAnswer = Type.Object({ success: shape.Yes, done: Type.Literal(true) })

/** If a second step is required, the response has a pending-login token and no cookie. */
export const SteppedAnswer = Type.Object({
  success: shape.Yes,
  done: Type.Boolean({
    description: 'whether the sign-in is complete. False if a second factor is required',
  }),
  ticket: Type.Optional(
    Type.String({ description: 'ticket for /v1/auth/second-factor, valid for 10 minutes' }),
  ),
})

const KNOWN = new RegExp(`(?:^|;) *(?:__Host-)?${BROWSER_COOKIE}=([\\w-]{43})(?:;|$)`)

export function readWhence({ address, headers }: Origin): Whence {
  const browser = headers['user-agent']
  const known = KNOWN.exec(typeof headers.cookie === 'string' ? headers.cookie : '')?.[1]
  return { address, browser: typeof browser === 'string' ? browser : '', known }
}

export function stepped(config: Config, step: Stepped): Step | WithCookies<Step> {
  if ('ticket' in step) return { done: false, ticket: step.ticket }
  return new WithCookies<Step>({ done: true }, signInCookies(config, step.cookie))
}
type Step = { readonly done: boolean; readonly ticket?: string }

/** Wraps a response without fields. */
export function renewed(config: Config, cookie: string): WithCookies<object> {
  return new WithCookies({}, signInCookies(config, cookie))
}

export function signedIn(config: Config, cookie: string): WithCookies<{ done: true }> {
  return new WithCookies({ done: true }, signInCookies(config, cookie))
}
