/**
 * Reads the environment once into a frozen Config. Names, defaults and descriptions are in `config-variables.ts`. The
 * service's own keys are not configured here; they are in the keyring file.
 */
import { isIP } from 'node:net'
import path from 'node:path'
import { type adProvider, adProviders, allVariables, type Variable, variables } from './config-variables.ts'

/** An ad provider as the operator set it up; without a `url` it is switched off. */
export type AdProviderConfig = {
  readonly url: string | undefined
  readonly label: string
  readonly hosts: readonly string[]
}

/** External captcha verifier. */
export type AdsVerifier = { readonly page: string; readonly url: string; readonly secret: string }

export type Config = {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly sqliteCacheMb: number
  /** Set when several processes serve the same database. */
  readonly valkeyUrl: string | undefined
  readonly baseUrl: string | undefined
  readonly clientUrls: readonly string[]
  readonly adsUrl: string | undefined
  readonly adsRates: number
  readonly adsCaptcha: 'off' | 'pow' | 'external'
  /** Set exactly when the captcha is external. */
  readonly adsVerifier: AdsVerifier | undefined
  readonly adProviders: Readonly<Record<keyof typeof adProviders, AdProviderConfig>>
  readonly adminKey: string | undefined
  readonly trustProxy: readonly string[]
  readonly logLevel: string
  readonly bodyLimit: number
  readonly scriptLimit: number
  readonly importBodyLimit: number
  readonly importLimit: number
  readonly generateLimit: number
  readonly graceMs: number
  readonly obfuscationThreads: number
  readonly obfuscationDeadlineMs: number
  readonly obfuscationMemoryMb: number
  readonly obfuscationQueue: number
  readonly sessionWaitMs: number
  readonly clientRates: number
  readonly apiRates: number
  readonly metricsToken: string | undefined
  readonly jobs: boolean
  /** When undefined, no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly webhookAllowCidr: readonly string[]
  readonly webhookAllowHttp: boolean
  readonly webhookChatHosts: readonly string[]
  readonly webhookSecret: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>
const CAPTCHAS = ['off', 'pow', 'external'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Throws an Error that names the variable and the fix when a value is invalid. */
export function readConfig(environment: Environment): Config {
  const text = (key: keyof typeof variables) => environment[variables[key].name] || variables[key].fallback
  const number = (key: keyof typeof variables, most = Number.MAX_SAFE_INTEGER) =>
    readNumber(variables[key].name, text(key), most)
  return Object.freeze({
    port: number('port', 65_535),
    host: text('host'),
    dataDir: path.resolve(text('dataDir')),
    databaseUrl: text('databaseUrl') || undefined,
    sqliteCacheMb: number('sqliteCacheMb', 65_536),
    valkeyUrl: valkeyAddress(text('valkeyUrl')),
    baseUrl: text('baseUrl').replace(/\/+$/, '') || undefined,
    clientUrls: list(text('clientUrl')),
    adsUrl: webAddress(variables.adsUrl.name, text('adsUrl')),
    adsRates: number('adsRates'),
    adsCaptcha: oneOf(variables.adsCaptcha.name, text('adsCaptcha'), CAPTCHAS),
    adsVerifier: readVerifier(text),
    adProviders: {
      provider_a: readAdProvider(environment, adProviders.provider_a),
      provider_b: readAdProvider(environment, adProviders.provider_b),
      provider_c: readAdProvider(environment, adProviders.provider_c),
    },
    adminKey: apiKey(variables.adminKey.name, text('adminKey')),
    trustProxy: list(text('trustProxy')),
    logLevel: oneOf(variables.logLevel.name, text('logLevel'), LOG_LEVELS),
    bodyLimit: number('bodyLimit'),
    scriptLimit: number('scriptLimit'),
    importBodyLimit: number('importBodyLimit'),
    importLimit: number('importLimit'),
    generateLimit: number('generateLimit'),
    graceMs: number('graceMs'),
    obfuscationThreads: number('obfuscationThreads', 64),
    obfuscationDeadlineMs: number('obfuscationDeadlineMs'),
    obfuscationMemoryMb: number('obfuscationMemoryMb'),
    obfuscationQueue: number('obfuscationQueue', 10_000),
    sessionWaitMs: number('sessionWaitMs', 60_000),
    clientRates: number('clientRates'),
    apiRates: number('apiRates'),
    metricsToken: apiKey(variables.metricsToken.name, text('metricsToken')),
    jobs: oneOf(variables.jobs.name, text('jobs'), ['true', 'false']) === 'true',
    mail: mailSettings(text('smtpUrl'), text('mailFrom')),
    webhookAllowCidr: networks(variables.webhookAllowCidr.name, text('webhookAllowCidr')),
    webhookAllowHttp:
      oneOf(variables.webhookAllowHttp.name, text('webhookAllowHttp'), ['true', 'false']) === 'true',
    webhookChatHosts: list(text('webhookChatHosts').toLowerCase()),
    webhookSecret: apiKey(variables.webhookSecret.name, text('webhookSecret')),
  })
}

/** Names with our prefix that are no settings, to warn about typing errors. */
export function unknownSettings(environment: Environment): string[] {
  const known = new Set<string>(allVariables.map((variable) => variable.name))
  return Object.keys(environment).filter((name) => name.startsWith('SCRIPTWARD_') && !known.has(name))
}

/** `NAME=value` and the description of every variable; a secret shows only whether it is set. */
export function describeConfig(environment: Environment): string {
  const lines = allVariables.map((variable) => {
    const given = environment[variable.name]
    const value = variable.secret ? (given ? '(set)' : '') : (given ?? variable.fallback)
    return `${variable.name}=${value}\n    ${variable.summary}\n`
  })
  return lines.join('')
}

function readAdProvider(
  environment: Environment,
  { url, label, hosts }: ReturnType<typeof adProvider>,
): AdProviderConfig {
  const text = ({ name, fallback }: Variable) => environment[name] || fallback
  return Object.freeze({
    url: webAddress(url.name, text(url)),
    label: text(label),
    hosts: list(text(hosts).toLowerCase()),
  })
}

function readVerifier(text: (key: keyof typeof variables) => string): AdsVerifier | undefined {
  if (text('adsCaptcha') !== 'external') return undefined
  const page = webAddress(variables.adsCaptchaPage.name, text('adsCaptchaPage'))
  const url = webAddress(variables.adsCaptchaUrl.name, text('adsCaptchaUrl'))
  if (page === undefined || url === undefined)
    throw new Error(
      `${variables.adsCaptchaPage.name} and ${variables.adsCaptchaUrl.name} must be set for an external captcha`,
    )
  return { page, url, secret: text('adsCaptchaSecret') }
}

/** Without trailing slashes, so that a path can be appended. */
function webAddress(name: string, text: string): string | undefined {
  if (text !== '' && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new Error(`${name} must be an http or https address, not "${text}"`)
  return text.replace(/\/+$/, '') || undefined
}

function readNumber(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > most)
    throw new Error(`${name} must be a number from 0 to ${most}, not "${text}"`)
  return value
}

/** Errors do not quote the address, because it contains a password. */
function mailSettings(url: string, from: string): Config['mail'] {
  if (url === '') return undefined
  if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Error(`${variables.smtpUrl.name} must be an smtp:// or smtps:// address`)
  if (!/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(from))
    throw new Error(`${variables.mailFrom.name} must be a mail address, not "${from}"`)
  return { url, from }
}

/** Errors do not quote the address, because it may contain a password. */
function valkeyAddress(text: string): string | undefined {
  if (text !== '' && !/^rediss?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new Error(`${variables.valkeyUrl.name} must be a redis:// or rediss:// address`)
  return text || undefined
}

/** Sent in headers and paths: no blanks, nothing that needs escaping, and too long to guess. */
function apiKey(name: string, text: string): string | undefined {
  if (text !== '' && !/^[\x21-\x7e]{16,256}$/.test(text)) {
    throw new Error(`${name} must be 16 to 256 printable ASCII characters without spaces`)
  }
  return text || undefined
}

/** Networks as address/bits; for a bare address the size would be a guess. */
function networks(name: string, text: string): readonly string[] {
  const found = list(text)
  for (const network of found) {
    const [address = '', bits = ''] = network.split('/')
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > most)
      throw new Error(`${name} must hold networks such as 10.1.0.0/16 or fd00::/8, not "${network}"`)
  }
  return found
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text)
  if (found === undefined) throw new Error(`${name} must be one of ${choices.join(', ')}, not "${text}"`)
  return found
}

function list(text: string): readonly string[] {
  return Object.freeze(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
}
