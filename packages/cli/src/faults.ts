/** Error messages and exit codes. */

import { ServiceError, UnreachableError } from '@scriptward/sdk'

export const DONE = 0
/** Incorrect usage, or a file that cannot be read or written. */
export const USAGE = 1
/**
 * The server or the obfuscator rejected the request: an invalid source or option, an exceeded limit, or a
 * missing resource.
 */
export const REFUSED = 2
/** The user is not signed in, or the token lacks a scope. */
export const NOT_ALLOWED = 3
/** The server is unreachable, busy, failing or too old. */
export const UNAVAILABLE = 4
/** The script that `run` ran, or the function that `functions try` called, failed with an error. */
const SCRIPT_FAILED = 5
/** Shell convention for SIGINT: 128 + 2. */
export const INTERRUPTED = 130

/** Prefix of error lines that don't start with a source location. */
export const PREFIX = 'scriptward: '

/** An expected error. Its `lines` are printed without a stack trace. */
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

/** Diagnostics for source files. Each line starts with the path of its file. */
export class SourceFault extends Fault {
  constructor(...lines: readonly string[]) {
    super(REFUSED, ...lines)
  }
}

/** The error that stopped a script, with source line numbers. */
export class ScriptFault extends Fault {
  constructor(text: string) {
    super(SCRIPT_FAILED, text)
  }
}

export const usage = (...lines: readonly string[]) => new Fault(USAGE, ...lines)

/** `type` is the API's error type, or one of `TYPES` for the command line's own errors. */
export type Explained = {
  readonly code: number
  readonly type: string
  readonly lines: readonly string[]
}

/** `url` is undefined if the command failed before choosing a server. */
export function explain(error: unknown, url: string | undefined): Explained {
  if (error instanceof Fault)
    return { code: error.code, type: TYPES[error.code] ?? 'fault', lines: error.lines }
  if (error instanceof ServiceError) return explainRefusal(error, url ?? 'the server')
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
        `${url} rejected this token: it is invalid, expired or revoked. Run 'scriptward login', or set SCRIPTWARD_TOKEN to a valid token.`,
      ],
    }
  if (type === 'forbidden') return { code: NOT_ALLOWED, type, lines: [missingRight(error)] }
  if (type === 'network_not_allowed')
    return {
      code: NOT_ALLOWED,
      type,
      lines: [error.message],
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
    ? `Your token lacks the '${needs}' scope. Add it in the dashboard under Tokens, or use another token.`
    : `Your token lacks access: this command requires ${needs}.`
}

export function noService(url: string): string {
  return `${url} is not a Scriptward server. Check the URL.`
}

function tooOld(url: string): string {
  return `The server at ${url} is older than this command line and doesn't support this command. Update the server.`
}

function failedThere(error: ServiceError, url: string): string {
  const wait = secondsToWait(error)
  const later =
    wait === undefined ? 'Try again later' : `Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}`
  if (error.status === 429) return `${url} is limiting your requests. ${later}.`
  if (error.status === 503)
    return `${url} is temporarily unavailable: ${withoutPeriod(error.message)}. ${later}.`
  const request =
    error.requestId === '' ? '' : ` For details, search the server log for request ${error.requestId}.`
  return `${url} responded with status ${error.status}: ${withoutPeriod(error.message)}.${request}`
}

function withoutPeriod(message: string): string {
  return message.replace(/\.$/, '')
}

/** Rounded up to whole seconds; undefined if the response has no retry time. */
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
  const hint = HINTS[code] ?? 'check the URL and your network, and that the server is running'
  return { code: UNAVAILABLE, type: 'unreachable', lines: [`Can't reach ${url} (${code}): ${hint}.`] }
}

const UNKNOWN_CA =
  'its certificate, or that of your proxy, is from an unknown CA; set NODE_EXTRA_CA_CERTS to the CA certificate file'

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the server, or pass another URL with --url',
  ENOTFOUND: 'unknown host; check the URL',
  EAI_AGAIN: 'DNS lookup failed; check your network',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to the certificate file',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it',
}

type SystemError = Error & { readonly code: string; readonly path?: string }

function explainFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const { code, path } = error as SystemError
  const words = FILES[code]
  if (words === undefined) return undefined
  return path === undefined ? `File error: ${words}.` : `${path}: ${words}.`
}

const FILES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'this is a folder, not a file',
  ENOTDIR: 'part of this path is a file, not a folder',
  ENOSPC: 'the disk is full; nothing was written',
  EDQUOT: 'your disk quota is used up; nothing was written',
  EFBIG: 'the file exceeds the size limit; nothing was written',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
}
