/** The answer to a finished sign-in, and what is noted of the browser. */
import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import type { Whence } from '../../domain/people/start-sign-in.ts'
import { type Origin, WithCookies } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { signInCookies } from './sign-in-cookies.ts'

export const SignedInAnswer = Type.Object({ success: shape.Yes, done: Type.Literal(true) })

export function whenceOf({ address, headers }: Origin): Whence {
  const browser = headers['user-agent']
  return { address, browser: typeof browser === 'string' ? browser : '' }
}

export function signedIn(config: Config, cookie: string): WithCookies<{ done: true }> {
  return new WithCookies({ done: true }, signInCookies(config, cookie))
}
