/** Every setting: its name in the environment, description and default. */
import { type AdNetwork, adNetworks } from '../platform/ad-providers/networks.ts'

export type Variable = {
  readonly name: string
  readonly summary: string
  readonly fallback: string
  readonly secret?: true
}

export const variables = {
  port: { name: 'SCRIPTWARD_PORT', summary: 'TCP port to listen on; 0 picks a free one.', fallback: '8080' },
  host: { name: 'SCRIPTWARD_HOST', summary: 'IP address to listen on.', fallback: '127.0.0.1' },
  dataDir: {
    name: 'SCRIPTWARD_DATA_DIR',
    summary: 'Directory for the SQLite database and the keyring.',
    fallback: './data',
  },
  keyringFile: {
    name: 'SCRIPTWARD_KEYRING_FILE',
    summary:
      "Path of the keyring, the file with the server's long-lived keys; empty means keyring.json in the data directory.",
    fallback: '',
  },
  databaseUrl: {
    name: 'SCRIPTWARD_DATABASE_URL',
    summary: 'postgres:// URL; empty uses SQLite in the data directory.',
    fallback: '',
    secret: true,
  },
  valkeyUrl: {
    name: 'SCRIPTWARD_VALKEY_URL',
    summary:
      'redis:// or rediss:// URL shared by all server processes; required for more than one process, empty for a single one.',
    fallback: '',
    secret: true,
  },
  sqliteCacheMb: {
    name: 'SCRIPTWARD_SQLITE_CACHE_MB',
    summary:
      "Memory for the SQLite page cache of readers, in MiB; 0 means 1/32 of the machine's memory, at most 256.",
    fallback: '0',
  },
  baseUrl: {
    name: 'SCRIPTWARD_BASE_URL',
    summary:
      'Public URL of this server without a path, such as https://ward.example.org; empty means http://host:port.',
    fallback: '',
  },
  clientUrl: {
    name: 'SCRIPTWARD_CLIENT_URL',
    summary:
      'Comma-separated URLs of the client protocol, in the order clients try them; empty means {base_url}/client/v1.',
    fallback: '',
  },
  adsUrl: {
    name: 'SCRIPTWARD_ADS_URL',
    summary: 'Public URL of the ad pages; empty means {base_url}/ads.',
    fallback: '',
  },
  adsRates: {
    name: 'SCRIPTWARD_ADS_RATES',
    summary: 'Multiplier for the rate limits of ad page visitors, such as 2; 0 turns the limits off.',
    fallback: '1',
  },
  adsCaptcha: {
    name: 'SCRIPTWARD_ADS_CAPTCHA',
    summary: 'Captcha on ad pages: off, pow (proof of work, requires JavaScript) or external.',
    fallback: 'off',
  },
  adsCaptchaPage: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_PAGE',
    summary:
      'External captcha: page that visitors are sent to with ?return=; it sends them back with &captcha=.',
    fallback: '',
  },
  adsCaptchaUrl: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_URL',
    summary:
      'External captcha: verification URL, which receives a form with the fields secret, response and remoteip.',
    fallback: '',
  },
  adsCaptchaSecret: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_SECRET',
    summary: 'External captcha: secret sent with each verification.',
    fallback: '',
    secret: true,
  },
  adminKey: {
    name: 'SCRIPTWARD_ADMIN_KEY',
    summary:
      'API key of the first admin in an empty database; empty creates one and prints it to the terminal, or writes it to a private file in the data directory.',
    fallback: '',
    secret: true,
  },
  trustProxy: {
    name: 'SCRIPTWARD_TRUST_PROXY',
    summary: 'Comma-separated IP addresses or networks of reverse proxies whose X-Forwarded-For is trusted.',
    fallback: '',
  },
  logLevel: {
    name: 'SCRIPTWARD_LOG_LEVEL',
    summary: 'Minimum log level: fatal, error, warn, info, debug, trace or silent.',
    fallback: 'info',
  },
  logFormat: {
    name: 'SCRIPTWARD_LOG_FORMAT',
    summary: 'Log format: json or text; empty means text on a terminal and json elsewhere.',
    fallback: '',
  },
  otlpUrl: {
    name: 'SCRIPTWARD_OTLP_URL',
    summary:
      'URL of an OpenTelemetry collector that receives traces over OTLP/HTTP, such as http://127.0.0.1:4318; empty disables traces.',
    fallback: '',
  },
  otlpHeaders: {
    name: 'SCRIPTWARD_OTLP_HEADERS',
    summary:
      'Headers for the collector, such as authorization=Bearer%20token: comma-separated name=value pairs with percent-encoded values.',
    fallback: '',
    secret: true,
  },
  bodyLimit: {
    name: 'SCRIPTWARD_BODY_LIMIT',
    summary: 'Maximum size of a request body in bytes.',
    fallback: '1048576',
  },
  headersTimeoutMs: {
    name: 'SCRIPTWARD_HEADERS_TIMEOUT_MS',
    summary:
      'Timeout in milliseconds for receiving the headers of a request. New connections that send nothing within this time are closed.',
    fallback: '15000',
  },
  maxConnections: {
    name: 'SCRIPTWARD_MAX_CONNECTIONS',
    summary: 'Maximum number of open connections; 0 means the open file limit minus 256.',
    fallback: '0',
  },
  maxConnectionsEach: {
    name: 'SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS',
    summary:
      'Maximum number of open connections per IPv4 address or IPv6 /64; 0 means 1000, but at most a quarter of all connections. Proxies in SCRIPTWARD_TRUST_PROXY are exempt.',
    fallback: '0',
  },
  scriptLimit: {
    name: 'SCRIPTWARD_SCRIPT_LIMIT',
    summary: 'Maximum size of a script source in bytes.',
    fallback: '8388608',
  },
  importBodyLimit: {
    name: 'SCRIPTWARD_IMPORT_BODY_LIMIT',
    summary: 'Maximum size of the request body of a user import in bytes.',
    fallback: '33554432',
  },
  importLimit: {
    name: 'SCRIPTWARD_IMPORT_LIMIT',
    summary: 'Maximum number of users in one import.',
    fallback: '100000',
  },
  generateLimit: {
    name: 'SCRIPTWARD_GENERATE_LIMIT',
    summary: 'Maximum number of license keys generated by one call.',
    fallback: '10000',
  },
  graceMs: {
    name: 'SCRIPTWARD_ACCOUNT_GRACE_MS',
    summary: 'Grace period in milliseconds during which scripts of an expired account keep running.',
    fallback: '259200000',
  },
  obfuscationThreads: {
    name: 'SCRIPTWARD_OBFUSCATION_THREADS',
    summary: 'Number of obfuscation processes; 0 means one less than the number of processors, at least one.',
    fallback: '0',
  },
  obfuscationDeadlineMs: {
    name: 'SCRIPTWARD_OBFUSCATION_DEADLINE_MS',
    summary: 'Time limit of an obfuscation in milliseconds.',
    fallback: '60000',
  },
  obfuscationMemoryMb: {
    name: 'SCRIPTWARD_OBFUSCATION_MEMORY_MB',
    summary:
      'Heap limit of an obfuscation process in MiB; the process may use up to 128 MiB in addition to its heap.',
    fallback: '1024',
  },
  obfuscationQueue: {
    name: 'SCRIPTWARD_OBFUSCATION_QUEUE',
    summary:
      'Maximum number of uploads waiting for an obfuscation process; further uploads get status 503 and can be retried.',
    fallback: '32',
  },
  sessionWaitMs: {
    name: 'SCRIPTWARD_SESSION_WAIT_MS',
    summary: 'Timeout in milliseconds for the response to a session message, at most 60000.',
    fallback: '60000',
  },
  clientRates: {
    name: 'SCRIPTWARD_CLIENT_RATES',
    summary:
      'Multiplier for the rate limits of the client protocol, tracing, smoke tests and free failed builds, such as 2; 0 turns the limits off.',
    fallback: '1',
  },
  signUp: {
    name: 'SCRIPTWARD_SIGN_UP',
    summary:
      'Who can create an account: off (operators only), invite (operators only, and the sign-in page asks visitors to request an invitation) or open (anyone with a confirmed email address; requires SCRIPTWARD_SMTP_URL).',
    fallback: 'off',
  },
  signUpTier: {
    name: 'SCRIPTWARD_SIGN_UP_TIER',
    summary: 'ID of the service tier for accounts created through sign-up.',
    fallback: '1',
  },
  requireSecondFactor: {
    name: 'SCRIPTWARD_REQUIRE_SECOND_FACTOR',
    summary:
      'Who must use an authenticator app or a passkey: operators, all or none. Empty means that operators are asked to add one, unless the base URL is on this machine.',
    fallback: '',
  },
  auditDays: {
    name: 'SCRIPTWARD_AUDIT_DAYS',
    summary: 'Number of days that audit log entries are kept.',
    fallback: '400',
  },
  undoDays: {
    name: 'SCRIPTWARD_UNDO_DAYS',
    summary:
      'Number of days during which removals and bulk changes can be undone; removed data is kept for the same time.',
    fallback: '7',
  },
  auditAddresses: {
    name: 'SCRIPTWARD_AUDIT_ADDRESSES',
    summary:
      "How much of the caller's IP address the audit log stores: whole, network (/24 for IPv4, /48 for IPv6) or none.",
    fallback: 'network',
  },
  jobs: {
    name: 'SCRIPTWARD_JOBS',
    summary: 'Set to false to disable background jobs in this process, such as deleting expired users.',
    fallback: 'true',
  },
  smtpUrl: {
    name: 'SCRIPTWARD_SMTP_URL',
    summary:
      'smtp:// or smtps:// URL with user and password, for emails with sign-in links and new API keys; empty disables email.',
    fallback: '',
    secret: true,
  },
  mailFrom: {
    name: 'SCRIPTWARD_MAIL_FROM',
    summary: 'Sender of emails, such as Scriptward <keys@example.com>.',
    fallback: '',
  },
  apiRates: {
    name: 'SCRIPTWARD_API_RATES',
    summary: 'Multiplier for the rate limits of the management API, such as 2; 0 turns the limits off.',
    fallback: '1',
  },
  metricsToken: {
    name: 'SCRIPTWARD_METRICS_TOKEN',
    summary: 'Bearer token for /metrics; empty allows only requests from this machine.',
    fallback: '',
    secret: true,
  },
  webhookAllowCidr: {
    name: 'SCRIPTWARD_WEBHOOK_ALLOW_CIDR',
    summary: 'Comma-separated private networks that webhooks may reach, such as 10.1.0.0/16.',
    fallback: '',
  },
  webhookAllowHttp: {
    name: 'SCRIPTWARD_WEBHOOK_ALLOW_HTTP',
    summary: 'Set to true to also allow webhooks to unencrypted http URLs.',
    fallback: 'false',
  },
  webhookChatHosts: {
    name: 'SCRIPTWARD_WEBHOOK_CHAT_HOSTS',
    summary: 'Comma-separated hosts whose webhooks receive messages in the chat format.',
    fallback: 'discord.com,discordapp.com,ptb.discord.com,canary.discord.com',
  },
  discordUrl: {
    name: 'SCRIPTWARD_DISCORD_URL',
    summary: "URL of Discord's API, for servers that reach it through a proxy; off turns Discord bots off.",
    fallback: 'https://discord.com/api',
  },
  webhookSecret: {
    name: 'SCRIPTWARD_WEBHOOK_SECRET',
    summary:
      'Secret from which the keys of older webhook endpoints were derived, before each got its own random key; not needed for new endpoints.',
    fallback: '',
    secret: true,
  },
  backupEvery: {
    name: 'SCRIPTWARD_BACKUP_EVERY',
    summary:
      'Interval of automatic backups, such as 6h or 1d; empty disables them. With several processes, only one makes each backup.',
    fallback: '',
  },
  backupKeep: {
    name: 'SCRIPTWARD_BACKUP_KEEP',
    summary: 'Number of automatic backups kept in SCRIPTWARD_BACKUP_DIR; older ones are removed.',
    fallback: '14',
  },
  backupDir: {
    name: 'SCRIPTWARD_BACKUP_DIR',
    summary: 'Directory for automatic backups; empty means backups in the data directory.',
    fallback: '',
  },
  backupPassphrase: {
    name: 'SCRIPTWARD_BACKUP_PASSPHRASE',
    summary: 'Passphrase for encrypting and restoring backups.',
    fallback: '',
    secret: true,
  },
  backupPublicKey: {
    name: 'SCRIPTWARD_BACKUP_PUBLIC_KEY',
    summary:
      'age public key (age1…) that backups are encrypted for, instead of a passphrase; `scriptward backup-keys` creates a key pair.',
    fallback: '',
  },
} as const satisfies Record<string, Variable>

/** The three settings of one ad provider. */
const adProvider = (letter: 'A' | 'B' | 'C', { name, url, hosts }: AdNetwork) => ({
  url: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_URL`,
    summary: `API URL of ad provider ${letter} (${name} by default); off turns the provider off.`,
    fallback: url,
  },
  label: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_LABEL`,
    summary: `Display name of ad provider ${letter}; empty means ${name}, or Provider ${letter} with another API URL.`,
    fallback: '',
  },
  hosts: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_HOSTS`,
    summary: `Comma-separated hosts that links of ad provider ${letter} may use; *.example.com includes all subdomains; empty means ${hosts.join(', ')}, or with another API URL, its host.`,
    fallback: '',
  },
})
export const adProviders = {
  provider_a: adProvider('A', adNetworks.provider_a),
  provider_b: adProvider('B', adNetworks.provider_b),
  provider_c: adProvider('C', adNetworks.provider_c),
}

export const allVariables: readonly Variable[] = [
  ...Object.values(variables),
  ...Object.values(adProviders).flatMap((one) => Object.values(one)),
]
