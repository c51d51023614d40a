/** What went wrong in words, and the exit code that says so to other programs. */

import { ServiceError, UnreachableError } from '@scriptward/sdk'

export const DONE = 0
/** Wrong words, or a file that cannot be read or written. */
export const USAGE = 1
/** The service or the obfuscator says no: a source, an option, a limit, a thing that does not exist. */
export const REFUSED = 2
/** Not signed in, or without the right that is needed. */
export const NOT_ALLOWED = 3
/** The service does not answer, is busy, failed, or is too old. */
export const UNAVAILABLE = 4
/** The script that `run` ran, or the function that was tried, ended with an error. */
const SCRIPT_FAILED = 5
/** As shells have it for SIGINT. */
export const INTERRUPTED = 130

/** Before every line about a fault but those that begin with a place in a source. */
export const PREFIX = 'scriptward: '

/** An expected end of a command. `lines` are complete sentences for people. */
export class Fault extends Error {
  readonly code: number
  readonly lines: readonly string[]

  constructor(code: number, ...lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'Fault'
    this.code = code
    this.lines = lines
  }
}

/** Complaints about places of a source: each line begins with its file. */
export class SourceFault extends Fault {
  constructor(...lines: readonly string[]) {
    super(REFUSED, ...lines)
  }
}

/** What ended a script, with its places in the source. */
export class ScriptFault extends Fault {
  constructor(text: string) {
    super(SCRIPT_FAILED, text)
  }
}

export const usage = (...lines: readonly string[]) => new Fault(USAGE, ...lines)

/** `type` is the one of the service's error, or a word for the kind of fault. */
export type Explained = {
  readonly code: number
  readonly type: string
  readonly lines: readonly string[]
}

/** `url` is the service that was asked, if any was. */
export function explain(error: unknown, url: string | undefined): Explained {
  if (error instanceof Fault)
    return { code: error.code, type: TYPES[error.code] ?? 'fault', lines: error.lines }
  if (error instanceof ServiceError) return explainRefusal(error, url ?? 'the service')
  if (isAbort(error)) return { code: INTERRUPTED, type: 'interrupted', lines: [] }
  if (error instanceof Error && isSilence(error)) return explainSilence(error, url)
  const system = explainFile(error)
  if (system !== undefined) return { code: USAGE, type: 'file', lines: [system] }
  const words = error instanceof Error ? error.message : String(error)
  return { code: USAGE, type: 'fault', lines: [words] }
}

const TYPES: Readonly<Record<number, string>> = {
  [USAGE]: 'usage',
  [REFUSED]: 'refused',
  [NOT_ALLOWED]: 'not_allowed',
  [UNAVAILABLE]: 'unavailable',
  [SCRIPT_FAILED]: 'script_failed',
  [INTERRUPTED]: 'interrupted',
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function explainRefusal(error: ServiceError, url: string): Explained {
  const { type } = error
  if (error.status === 401)
    return {
      code: NOT_ALLOWED,
      type,
      lines: [
        `${url} does not accept this token: it is wrong, expired or revoked. Run 'scriptward login', or set SCRIPTWARD_TOKEN to another one.`,
      ],
    }
  if (type === 'forbidden') return { code: NOT_ALLOWED, type, lines: [missingRight(error)] }
  if (type === 'network_not_allowed')
    return {
      code: NOT_ALLOWED,
      type,
      lines: [`${error.message}: add this network to the token, or use another token.`],
    }
  if (type === 'unknown' && error.status < 500) return { code: UNAVAILABLE, type, lines: [noService(url)] }
  if (type === 'invalid_endpoint') return { code: UNAVAILABLE, type, lines: [tooOld(url)] }
  if (error.status === 429 || error.status >= 500)
    return { code: UNAVAILABLE, type, lines: [failedThere(error, url)] }
  return { code: REFUSED, type, lines: refusalLines(error) }
}

function missingRight({ members: { needs } }: ServiceError): string {
  if (typeof needs !== 'string') return 'You are not allowed to do this.'
  return /^[a-z]+(:[a-z]+)?$/.test(needs)
    ? `Your token lacks the right '${needs}'. Use a token that has it, or add it to this one in the dashboard under Tokens.`
    : `Your token is too narrow: this needs ${needs}.`
}

export function noService(url: string): string {
  return `What answers at ${url} is no Scriptward service: check the address.`
}

function tooOld(url: string): string {
  return `The service at ${url} does not know this request: it is older than this command line. Update the service.`
}

function failedThere(error: ServiceError, url: string): string {
  const wait = secondsToWait(error)
  const later =
    wait === undefined ? 'Try again later' : `Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}`
  if (error.status === 429) return `${url} has too much to do for you at the moment. ${later}.`
  if (error.status === 503) return `${url} cannot do this at the moment: ${error.message}. ${later}.`
  const request = error.requestId === '' ? '' : ` Its log has more under the request ${error.requestId}.`
  return `${url} failed with status ${error.status}: ${error.message}.${request}`
}

/** Rounded up; undefined when the service did not say. */
export function secondsToWait({ members }: ServiceError): number | undefined {
  const { retry_after } = members
  return typeof retry_after === 'number' ? Math.max(1, Math.ceil(retry_after)) : undefined
}

type Failed = readonly { readonly field: string; readonly errors: readonly string[] }[]

function refusalLines(error: ServiceError): string[] {
  const { obfuscator_errors, failed } = error.members as {
    readonly obfuscator_errors?: readonly { readonly message: string }[]
    readonly failed?: Failed
  }
  if (obfuscator_errors) return obfuscator_errors.map(({ message }) => message)
  if (failed) return failed.map(({ field, errors }) => `${field} ${errors.join(' and ')}`)
  return [error.message]
}

function isSilence(error: Error): boolean {
  const { name, message } = error
  const isFetch = name === 'TypeError' && message === 'fetch failed'
  return error instanceof UnreachableError || name === 'TimeoutError' || isFetch
}

function explainSilence({ cause }: Error, url: string | undefined): Explained {
  const code = (cause as { readonly code?: string } | undefined)?.code ?? 'no connection'
  const hint = HINTS[code] ?? 'check the address and your network, and that the service runs'
  return { code: UNAVAILABLE, type: 'unreachable', lines: [`${url} does not answer (${code}): ${hint}.`] }
}

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the service, or give another address with --url',
  ENOTFOUND: 'there is no such host; check the address',
  EAI_AGAIN: 'the name of the host cannot be looked up; check your network',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; set NODE_EXTRA_CA_CERTS to its file',
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it',
}

type SystemError = Error & { readonly code: string; readonly path?: string }

function explainFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const { code, path } = error as SystemError
  const words = FILES[code]
  if (words === undefined) return undefined
  return path === undefined ? `A file cannot be used: ${words}.` : `${path}: ${words}.`
}

const FILES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'you may not read or write this',
  EPERM: 'you may not change this',
  EISDIR: 'this is a folder, not a file',
  ENOTDIR: 'a part of this path is a file, not a folder',
  ENOSPC: 'the disk is full; nothing was written',
  EDQUOT: 'your share of the disk is used up; nothing was written',
  EFBIG: 'there is no room for it here; nothing was written',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
}
