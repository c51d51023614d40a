/** Every setting: its name in the environment, what it means, and its default. */

export type Variable = {
  readonly name: string
  readonly summary: string
  readonly fallback: string
  readonly secret?: true
}

export const variables = {
  port: { name: 'SCRIPTWARD_PORT', summary: 'TCP port to listen on; 0 picks a free one.', fallback: '8080' },
  host: { name: 'SCRIPTWARD_HOST', summary: 'Address to listen on.', fallback: '127.0.0.1' },
  dataDir: {
    name: 'SCRIPTWARD_DATA_DIR',
    summary: 'Folder for the SQLite database and the keyring.',
    fallback: './data',
  },
  keyringFile: {
    name: 'SCRIPTWARD_KEYRING_FILE',
    summary:
      "Path of the keyring, the file with the service's long-lived keys; empty means keyring.json in the data folder.",
    fallback: '',
  },
  databaseUrl: {
    name: 'SCRIPTWARD_DATABASE_URL',
    summary: 'postgres:// address; empty uses SQLite in the data folder.',
    fallback: '',
    secret: true,
  },
  valkeyUrl: {
    name: 'SCRIPTWARD_VALKEY_URL',
    summary:
      'redis:// or rediss:// address shared by all processes of this service; required for more than one process, empty for a single one.',
    fallback: '',
    secret: true,
  },
  sqliteCacheMb: {
    name: 'SCRIPTWARD_SQLITE_CACHE_MB',
    summary: 'MiB of memory for SQLite pages that readers use; 0 means a 32nd of the machine, at most 256.',
    fallback: '0',
  },
  baseUrl: {
    name: 'SCRIPTWARD_BASE_URL',
    summary:
      'Public address of this service, such as https://ward.example.org, without a path; empty means http://host:port.',
    fallback: '',
  },
  clientUrl: {
    name: 'SCRIPTWARD_CLIENT_URL',
    summary:
      'Comma-separated addresses of the client protocol, in the order in which clients try them; empty means {base_url}/client/v1.',
    fallback: '',
  },
  adsUrl: {
    name: 'SCRIPTWARD_ADS_URL',
    summary: 'Public address of the ad pages; empty means {base_url}/ads.',
    fallback: '',
  },
  adsRates: {
    name: 'SCRIPTWARD_ADS_RATES',
    summary: 'Multiplies the rate limits for visitors of ad pages, such as 2; 0 turns them off.',
    fallback: '1',
  },
  adsCaptcha: {
    name: 'SCRIPTWARD_ADS_CAPTCHA',
    summary: 'Captcha on ad pages: off, pow (proof of work, needs JavaScript) or external.',
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
      'External captcha: address that verifies an answer, called with a form of secret, response and remoteip.',
    fallback: '',
  },
  adsCaptchaSecret: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_SECRET',
    summary: 'External captcha: secret that is sent with each answer.',
    fallback: '',
    secret: true,
  },
  adminKey: {
    name: 'SCRIPTWARD_ADMIN_KEY',
    summary:
      'API key of the first admin of an empty database; empty creates one, which is printed on a terminal or written to a private file in the data folder.',
    fallback: '',
    secret: true,
  },
  trustProxy: {
    name: 'SCRIPTWARD_TRUST_PROXY',
    summary: 'Comma-separated addresses or networks of reverse proxies whose X-Forwarded-For is trusted.',
    fallback: '',
  },
  logLevel: {
    name: 'SCRIPTWARD_LOG_LEVEL',
    summary: 'Lowest level that is logged: fatal, error, warn, info, debug, trace or silent.',
    fallback: 'info',
  },
  logFormat: {
    name: 'SCRIPTWARD_LOG_FORMAT',
    summary: 'Format of the log: json or text; empty means text on a terminal and json elsewhere.',
    fallback: '',
  },
  otlpUrl: {
    name: 'SCRIPTWARD_OTLP_URL',
    summary:
      'Address of a collector of OpenTelemetry for traces over OTLP/HTTP, such as http://127.0.0.1:4318; empty means no traces.',
    fallback: '',
  },
  otlpHeaders: {
    name: 'SCRIPTWARD_OTLP_HEADERS',
    summary:
      'Headers for the collector, such as authorization=Bearer%20token: name=value, comma-separated, values percent-encoded.',
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
      'Time limit in milliseconds for the headers of a request; a connection that sends nothing for as long after it was opened is closed.',
    fallback: '15000',
  },
  maxConnections: {
    name: 'SCRIPTWARD_MAX_CONNECTIONS',
    summary:
      'Maximum number of open connections; 0 means what the limit of open files allows, less 256 for everything else.',
    fallback: '0',
  },
  maxConnectionsEach: {
    name: 'SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS',
    summary:
      'Maximum number of open connections of one IPv4 address or IPv6 /64; 0 means 1000, but at most a quarter of all. Proxies in SCRIPTWARD_TRUST_PROXY have no such limit.',
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
    summary: 'Maximum number of user keys that one call may generate.',
    fallback: '10000',
  },
  graceMs: {
    name: 'SCRIPTWARD_ACCOUNT_GRACE_MS',
    summary: 'Grace period in milliseconds for which scripts of an expired account still run.',
    fallback: '259200000',
  },
  obfuscationThreads: {
    name: 'SCRIPTWARD_OBFUSCATION_THREADS',
    summary: 'Child processes for obfuscation; 0 means one less than the number of processors, at least one.',
    fallback: '0',
  },
  obfuscationDeadlineMs: {
    name: 'SCRIPTWARD_OBFUSCATION_DEADLINE_MS',
    summary: 'Time limit of an obfuscation in milliseconds.',
    fallback: '60000',
  },
  obfuscationMemoryMb: {
    name: 'SCRIPTWARD_OBFUSCATION_MEMORY_MB',
    summary: 'Heap limit of an obfuscation process in MiB; the process itself may hold 128 MiB more.',
    fallback: '1024',
  },
  obfuscationQueue: {
    name: 'SCRIPTWARD_OBFUSCATION_QUEUE',
    summary:
      'Maximum number of uploads that wait for an obfuscation process; further ones get 503 and may retry later.',
    fallback: '32',
  },
  sessionWaitMs: {
    name: 'SCRIPTWARD_SESSION_WAIT_MS',
    summary: 'Timeout in milliseconds for the answer to a session message, at most 60000.',
    fallback: '60000',
  },
  clientRates: {
    name: 'SCRIPTWARD_CLIENT_RATES',
    summary:
      'Multiplies the rate limits of the client protocol, of tracing, of script tests and of free failed builds, such as 2; 0 turns them off.',
    fallback: '1',
  },
  signUp: {
    name: 'SCRIPTWARD_SIGN_UP',
    summary:
      'Who may make an account: off (operators alone), invite (the same, and the sign-in page says to ask for an invitation) or open (everyone, after their e-mail address is confirmed; needs SCRIPTWARD_SMTP_URL).',
    fallback: 'off',
  },
  signUpTier: {
    name: 'SCRIPTWARD_SIGN_UP_TIER',
    summary: 'Id of the tier of accounts that people make by themselves.',
    fallback: '1',
  },
  requireSecondFactor: {
    name: 'SCRIPTWARD_REQUIRE_SECOND_FACTOR',
    summary:
      'Who needs an authenticator app or a passkey before they may do anything: operators, all or none. Empty means that operators are asked to add one, where the base address is not this machine.',
    fallback: '',
  },
  auditDays: {
    name: 'SCRIPTWARD_AUDIT_DAYS',
    summary: 'Days for which entries of the audit log are stored.',
    fallback: '400',
  },
  undoDays: {
    name: 'SCRIPTWARD_UNDO_DAYS',
    summary:
      'Days for which removals and changes of many users can be undone; what was removed is stored for as long.',
    fallback: '7',
  },
  auditAddresses: {
    name: 'SCRIPTWARD_AUDIT_ADDRESSES',
    summary:
      'What the audit log stores of the address of a caller: whole, network (the /24 of IPv4, the /48 of IPv6) or none.',
    fallback: 'network',
  },
  jobs: {
    name: 'SCRIPTWARD_JOBS',
    summary: 'false turns off background jobs, such as deleting expired users, in this process.',
    fallback: 'true',
  },
  smtpUrl: {
    name: 'SCRIPTWARD_SMTP_URL',
    summary:
      'smtp:// or smtps:// address with user and password, for e-mails with links for people and new API keys; empty sends none.',
    fallback: '',
    secret: true,
  },
  mailFrom: {
    name: 'SCRIPTWARD_MAIL_FROM',
    summary: 'Sender of e-mails, such as Scriptward <keys@example.com>.',
    fallback: '',
  },
  apiRates: {
    name: 'SCRIPTWARD_API_RATES',
    summary: 'Multiplies the rate limits of the management API, such as 2; 0 turns them off.',
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
    summary: 'Comma-separated private networks, such as 10.1.0.0/16, that webhooks may reach.',
    fallback: '',
  },
  webhookAllowHttp: {
    name: 'SCRIPTWARD_WEBHOOK_ALLOW_HTTP',
    summary: 'true also allows webhooks to http addresses, which are not encrypted on the way.',
    fallback: 'false',
  },
  webhookChatHosts: {
    name: 'SCRIPTWARD_WEBHOOK_CHAT_HOSTS',
    summary: 'Comma-separated hosts whose webhooks receive messages in the format of the chat platform.',
    fallback: 'discord.com,discordapp.com,ptb.discord.com,canary.discord.com',
  },
  webhookSecret: {
    name: 'SCRIPTWARD_WEBHOOK_SECRET',
    summary:
      'Secret from which the keys of webhook addresses were made that were saved before each got a random one; new addresses do not need it.',
    fallback: '',
    secret: true,
  },
  backupEvery: {
    name: 'SCRIPTWARD_BACKUP_EVERY',
    summary:
      'How often the service makes a backup by itself, such as 6h or 1d; empty means never. Of several processes one makes it.',
    fallback: '',
  },
  backupKeep: {
    name: 'SCRIPTWARD_BACKUP_KEEP',
    summary:
      'How many of the backups that the service makes are stored in SCRIPTWARD_BACKUP_DIR; older ones are removed.',
    fallback: '14',
  },
  backupDir: {
    name: 'SCRIPTWARD_BACKUP_DIR',
    summary: 'Folder for the backups of the service; empty means backups in the data folder.',
    fallback: '',
  },
  backupPassphrase: {
    name: 'SCRIPTWARD_BACKUP_PASSPHRASE',
    summary: 'Passphrase that backups are encrypted with, and with which they are restored.',
    fallback: '',
    secret: true,
  },
  backupPublicKey: {
    name: 'SCRIPTWARD_BACKUP_PUBLIC_KEY',
    summary:
      'Public key of age (age1…) that backups are encrypted for, instead of a passphrase; `scriptward backup-keys` makes a pair.',
    fallback: '',
  },
} as const satisfies Record<string, Variable>

/** The three settings of one ad provider. */
export const adProvider = (letter: 'A' | 'B' | 'C') => ({
  url: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_URL`,
    summary: `Address of the API of ad provider ${letter}; empty turns the provider off.`,
    fallback: '',
  },
  label: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_LABEL`,
    summary: `Display name of ad provider ${letter}.`,
    fallback: `Provider ${letter}`,
  },
  hosts: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_HOSTS`,
    summary: `Comma-separated hosts that links of ad provider ${letter} may use; *.example.com includes all subdomains; empty means the host of its address.`,
    fallback: '',
  },
})
export const adProviders = {
  provider_a: adProvider('A'),
  provider_b: adProvider('B'),
  provider_c: adProvider('C'),
}

export const allVariables: readonly Variable[] = [
  ...Object.values(variables),
  ...Object.values(adProviders).flatMap((one) => Object.values(one)),
]
