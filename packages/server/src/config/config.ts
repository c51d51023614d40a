/**
 * Reads the environment once into a frozen Config. Names, defaults and descriptions are in `variables.ts`,
 * parsers in `values.ts`, and the handling of files in `files.ts`. The server keys are not configured here;
 * they are in the keyring file.
 */
import path from 'node:path'
import { closestMatch } from 'leven'
import { adNetworks } from '../platform/ad-providers/networks.ts'
import { type Environment, FILE_NAMES, type FromFile, fileOf, secretFromFile } from './files.ts'
import {
  agePublicKey,
  choice,
  collectorAddress,
  databaseAddress,
  duration,
  factor,
  headerList,
  hostPattern,
  hostToListenOn,
  listOf,
  MAX_BYTES,
  MAX_MS,
  mailAddress,
  network,
  optional,
  origin,
  passphraseText,
  proxy,
  type Reader,
  secret,
  sender,
  unlessOff,
  valkeyAddress,
  webAddress,
  webHost,
  webPage,
  wholeNumber,
} from './values.ts'
import { adProviders, allVariables, type Variable, variables } from './variables.ts'

/** An ad provider as configured by the operator. A provider without a `url` is turned off. */
type AdProviderConfig = {
  readonly url: string | undefined
  readonly label: string
  readonly hosts: readonly string[]
}

/** External captcha verifier. */
type AdsVerifier = { readonly page: string; readonly url: string; readonly secret: string }

export type Config = {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Undefined if the keyring is in the data folder. */
  readonly keyringFile: string | undefined
  readonly databaseUrl: string | undefined
  readonly sqliteCacheMb: number
  /** Set when several processes serve the same database. */
  readonly valkeyUrl: string | undefined
  readonly baseUrl: string | undefined
  readonly clientUrls: readonly string[]
  readonly adsUrl: string | undefined
  readonly adsRates: number
  readonly adsCaptcha: 'off' | 'pow' | 'external'
  /** Set if and only if the captcha is external. */
  readonly adsVerifier: AdsVerifier | undefined
  readonly adProviders: Readonly<Record<keyof typeof adProviders, AdProviderConfig>>
  readonly adminKey: string | undefined
  readonly trustProxy: readonly string[]
  readonly logLevel: string
  /** If undefined, the format is text on a terminal and JSON elsewhere. */
  readonly logFormat: 'json' | 'text' | undefined
  /** Destination of traces. If undefined, traces are turned off. `url` excludes `/v1/traces`. */
  readonly otlp: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined
  readonly bodyLimit: number
  readonly headersTimeoutMs: number
  /** If 0, the maximum is derived from the open-file limit. */
  readonly maxConnections: number
  /** The limit per network. If 0, it is a fraction of the total limit. */
  readonly maxConnectionsEach: number
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
  readonly signUp: 'off' | 'invite' | 'open'
  readonly signUpTier: number
  /** If undefined, 2FA is only recommended to operators. */
  readonly requireSecondFactor: 'operators' | 'all' | 'none' | undefined
  readonly auditDays: number
  /** Period during which bulk changes and deletions of users can be undone. */
  readonly undoDays: number
  readonly auditAddresses: 'whole' | 'network' | 'none'
  readonly jobs: boolean
  /** If undefined, email is turned off. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly webhookAllowCidr: readonly string[]
  readonly webhookAllowHttp: boolean
  readonly webhookChatHosts: readonly string[]
  readonly webhookSecret: string | undefined
  /** URL of Discord's API without a version. If undefined, bots are turned off. */
  readonly discordUrl: string | undefined
  readonly backup: {
    /** If undefined, automatic backups are turned off. */
    readonly everyMs: number | undefined
    readonly keep: number
    readonly dir: string
    /** If undefined, backups are not encrypted. */
    readonly seal: { readonly passphrase: string } | { readonly publicKey: string } | undefined
  }
}

type Key = keyof typeof variables

const place: Reader<string> = (_, text) => path.resolve(text)

/** Lists all invalid values, each with the name of its setting and the fix. */
export class WrongSettings extends Error {
  readonly faults: readonly string[]

  /** An unknown name may be a misspelling of a missing setting, so the message lists unknown names too. */
  constructor(faults: readonly string[], unknown: readonly string[]) {
    super([...faults, ...unknown].join('\n'))
    this.faults = faults
  }
}

/** Throws {@link WrongSettings} if a value is invalid. */
export function readConfig(environment: Environment): Config {
  const values = new Values(environment)
  const read = <T>(key: Key, reader: Reader<T>) => values.read(variables[key], reader)
  const number = (key: Key, least?: number, most?: number) => read(key, wholeNumber(least, most))
  const config: Config = {
    port: number('port', 0, 65_535),
    host: read('host', hostToListenOn),
    dataDir: path.resolve(values.text(variables.dataDir)),
    keyringFile: read('keyringFile', optional(place)),
    databaseUrl: read('databaseUrl', optional(databaseAddress)),
    sqliteCacheMb: number('sqliteCacheMb', 0, 65_536),
    valkeyUrl: read('valkeyUrl', optional(valkeyAddress)),
    baseUrl: read('baseUrl', optional(origin)),
    clientUrls: read('clientUrl', listOf(webAddress)),
    adsUrl: read('adsUrl', optional(webAddress)),
    adsRates: read('adsRates', factor),
    adsCaptcha: read('adsCaptcha', choice('off', 'pow', 'external')),
    adsVerifier: readVerifier(values),
    adProviders: {
      provider_a: readAdProvider(values, 'provider_a'),
      provider_b: readAdProvider(values, 'provider_b'),
      provider_c: readAdProvider(values, 'provider_c'),
    },
    adminKey: read('adminKey', optional(secret)),
    trustProxy: read('trustProxy', listOf(proxy)),
    logLevel: read('logLevel', choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
    logFormat: read('logFormat', optional(choice('json', 'text'))),
    otlp: readOtlp(values),
    bodyLimit: number('bodyLimit', 1, MAX_BYTES),
    headersTimeoutMs: number('headersTimeoutMs', 100, 120_000),
    maxConnections: number('maxConnections', 0, 1_000_000),
    maxConnectionsEach: number('maxConnectionsEach', 0, 1_000_000),
    scriptLimit: number('scriptLimit', 1, MAX_BYTES),
    importBodyLimit: number('importBodyLimit', 1, MAX_BYTES),
    importLimit: number('importLimit', 1),
    generateLimit: number('generateLimit', 1),
    graceMs: number('graceMs'),
    obfuscationThreads: number('obfuscationThreads', 0, 64),
    obfuscationDeadlineMs: number('obfuscationDeadlineMs', 1, MAX_MS),
    obfuscationMemoryMb: number('obfuscationMemoryMb', 1, 1_048_576),
    obfuscationQueue: number('obfuscationQueue', 0, 10_000),
    sessionWaitMs: number('sessionWaitMs', 1, 60_000),
    clientRates: read('clientRates', factor),
    apiRates: read('apiRates', factor),
    metricsToken: read('metricsToken', optional(secret)),
    signUp: readSignUp(values),
    signUpTier: number('signUpTier'),
    requireSecondFactor: read('requireSecondFactor', optional(choice('operators', 'all', 'none'))),
    auditDays: number('auditDays', 1, 36_500),
    undoDays: number('undoDays', 1, 365),
    auditAddresses: read('auditAddresses', choice('whole', 'network', 'none')),
    jobs: read('jobs', choice('true', 'false')) === 'true',
    mail: readMail(values),
    webhookAllowCidr: read('webhookAllowCidr', listOf(network)),
    webhookAllowHttp: read('webhookAllowHttp', choice('true', 'false')) === 'true',
    webhookChatHosts: read('webhookChatHosts', listOf(webHost)),
    webhookSecret: read('webhookSecret', optional(secret)),
    discordUrl: read('discordUrl', unlessOff(webAddress)),
    backup: readBackup(values),
  }
  if (values.faults.length > 0) throw new WrongSettings(values.faults, unknownSettings(environment))
  return Object.freeze(config)
}

/** Reads values from the environment and collects their errors. */
class Values {
  readonly faults: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  text(variable: Variable): string {
    return this.read(variable, (_, text) => text)
  }

  /** The result after an error is never used, because all errors are thrown at the end. */
  read<T>(variable: Variable, reader: Reader<T>): T {
    try {
      const { name, text } = this.#find(variable)
      return reader(name, text)
    } catch (error) {
      const { message } = error as Error
      // An unreadable file causes the same error for every setting in it.
      if (!this.faults.includes(message)) this.faults.push(message)
      return undefined as T
    }
  }

  #find(variable: Variable): FromFile {
    const { name, fallback } = variable
    const given = secretFromFile(variable, this.#environment)
    return given ?? { name, text: this.#environment[name] || fallback }
  }
}

/** Variables of the authors' CLI. The last two are former names. */
const OF_AUTHORS = ['SCRIPTWARD_URL', 'SCRIPTWARD_TOKEN', 'SCRIPTWARD_KEY', 'SCRIPTWARD_API_KEY']

/** Maximum number of wrong letters for a name to count as a misspelling. */
const TYPING_ERRORS = 3

/** Returns each unknown name that has our prefix, with the setting that was probably meant. */
export function unknownSettings(environment: Environment): string[] {
  const known = [...allVariables.map((variable) => variable.name), ...FILE_NAMES, ...OF_AUTHORS]
  return Object.keys(environment)
    .filter((name) => name.startsWith('SCRIPTWARD_') && !known.includes(name))
    .map((name) => {
      const meant = closestMatch(name, known, { maxDistance: TYPING_ERRORS })
      const fix = meant === undefined ? '`scriptward config` lists all settings' : `did you mean ${meant}?`
      return `unknown setting ${name}: ${fix}`
    })
}

/**
 * Names of the settings that differ from their defaults, in the order of their declarations, without values.
 */
export function changedSettings(environment: Environment): string[] {
  return allVariables
    .filter((variable) => {
      const { name, fallback } = variable
      return (fileOf(variable, environment) || environment[name] || fallback) !== fallback
    })
    .map(({ name }) => name)
}

/**
 * Returns `NAME=value` and the description of every variable. For a secret, returns only whether it is set.
 */
export function describeConfig(environment: Environment): string {
  const lines = allVariables.map((variable) => {
    const { name, secret, summary, fallback } = variable
    const value = secret ? shownSecret(variable, environment) : environment[name] || fallback
    const files = secret ? ` Alternatively, set ${name}_FILE to the path of a file that contains it.` : ''
    return `${name}=${value}\n    ${summary}${files}\n`
  })
  return lines.join('')
}

function shownSecret(variable: Variable, environment: Environment): string {
  const file = fileOf(variable, environment)
  if (file) return `(in ${file})`
  return environment[variable.name] ? '(set)' : ''
}

function readAdProvider(values: Values, id: keyof typeof adProviders): AdProviderConfig {
  const { url, label, hosts } = adProviders[id]
  const network = adNetworks[id]
  const place = values.read(url, unlessOff(webPage))
  const isOther = place !== undefined && place !== network.url
  const given = values.read(hosts, listOf(hostPattern)) ?? []
  return Object.freeze({
    url: place,
    label: values.text(label) || (isOther ? `Provider ${id.slice(-1).toUpperCase()}` : network.name),
    hosts: given.length > 0 || isOther ? given : network.hosts,
  })
}

function readVerifier(values: Values): AdsVerifier | undefined {
  const page = values.read(variables.adsCaptchaPage, optional(webPage))
  const url = values.read(variables.adsCaptchaUrl, optional(webPage))
  if (values.text(variables.adsCaptcha) !== 'external') return undefined
  if (page !== undefined && url !== undefined)
    return { page, url, secret: values.text(variables.adsCaptchaSecret) }
  const { adsCaptcha, adsCaptchaPage, adsCaptchaUrl } = variables
  values.faults.push(
    `${adsCaptchaPage.name} and ${adsCaptchaUrl.name} must be set while ${adsCaptcha.name} is external`,
  )
  return undefined
}

/** Without email, no address can be confirmed. */
function readSignUp(values: Values): Config['signUp'] {
  const signUp = values.read(variables.signUp, choice('off', 'invite', 'open'))
  if (signUp === 'open' && values.text(variables.smtpUrl) === '')
    values.faults.push(
      'SCRIPTWARD_SIGN_UP must be off or invite while email is disabled: set SCRIPTWARD_SMTP_URL, or change SCRIPTWARD_SIGN_UP',
    )
  return signUp
}

function readBackup(values: Values): Config['backup'] {
  const passphrase = values.read(variables.backupPassphrase, optional(passphraseText))
  const publicKey = values.read(variables.backupPublicKey, optional(agePublicKey))
  if (passphrase !== undefined && publicKey !== undefined)
    values.faults.push(
      `${variables.backupPassphrase.name} and ${variables.backupPublicKey.name} are both set: remove one of them`,
    )
  const dir = values.text(variables.backupDir) || path.join(values.text(variables.dataDir), 'backups')
  return Object.freeze({
    everyMs: values.read(variables.backupEvery, optional(duration)),
    keep: values.read(variables.backupKeep, wholeNumber(1, 100_000)),
    dir: path.resolve(dir),
    seal: sealOf(passphrase, publicKey),
  })
}

function sealOf(passphrase: string | undefined, publicKey: string | undefined): Config['backup']['seal'] {
  if (passphrase !== undefined) return { passphrase }
  return publicKey === undefined ? undefined : { publicKey }
}

function readOtlp(values: Values): Config['otlp'] {
  const url = values.read(variables.otlpUrl, optional(collectorAddress))
  const headers = values.read(variables.otlpHeaders, headerList)
  return url === undefined ? undefined : Object.freeze({ url, headers })
}

function readMail(values: Values): Config['mail'] {
  const url = values.read(variables.smtpUrl, optional(mailAddress))
  return url === undefined ? undefined : { url, from: values.read(variables.mailFrom, sender) }
}
