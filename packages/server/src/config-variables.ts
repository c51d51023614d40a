/** Every setting: its name in the environment, what it means, and what it is when nobody sets it. */

export type Variable = {
  readonly name: string
  readonly summary: string
  readonly fallback: string
  readonly secret?: true
}

export const variables = {
  port: { name: 'SCRIPTWARD_PORT', summary: 'TCP port to listen on; 0 takes a free one.', fallback: '8080' },
  host: { name: 'SCRIPTWARD_HOST', summary: 'Address to listen on.', fallback: '127.0.0.1' },
  dataDir: {
    name: 'SCRIPTWARD_DATA_DIR',
    summary: 'Folder of the SQLite database and the keyring.',
    fallback: './data',
  },
  databaseUrl: {
    name: 'SCRIPTWARD_DATABASE_URL',
    summary: 'postgres:// address; empty means SQLite in the data folder.',
    fallback: '',
    secret: true,
  },
  valkeyUrl: {
    name: 'SCRIPTWARD_VALKEY_URL',
    summary:
      'redis:// or rediss:// address that all processes of this service share, needed for more than one; empty means that this is the only one.',
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
    summary: 'Address under which clients reach this service; empty means http://host:port.',
    fallback: '',
  },
  clientUrl: {
    name: 'SCRIPTWARD_CLIENT_URL',
    summary: 'Addresses of the client protocol, comma separated, in order; empty means {base_url}/client/v1.',
    fallback: '',
  },
  adsUrl: {
    name: 'SCRIPTWARD_ADS_URL',
    summary: 'Address of the pages of ad systems; empty means {base_url}/ads.',
    fallback: '',
  },
  adsRates: {
    name: 'SCRIPTWARD_ADS_RATES',
    summary: 'Factor on the limits of visitors of ad systems, such as 2; 0 switches them off.',
    fallback: '1',
  },
  adsCaptcha: {
    name: 'SCRIPTWARD_ADS_CAPTCHA',
    summary:
      'How visitors prove that they are no programs: off, pow (a sum, which needs JavaScript) or external.',
    fallback: 'off',
  },
  adsCaptchaPage: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_PAGE',
    summary: 'For external: page that visitors are led to with ?return=; it sends them back with &captcha=.',
    fallback: '',
  },
  adsCaptchaUrl: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_URL',
    summary:
      'For external: address that is asked about an answer by a form with secret, response and remoteip.',
    fallback: '',
  },
  adsCaptchaSecret: {
    name: 'SCRIPTWARD_ADS_CAPTCHA_SECRET',
    summary: 'For external: the secret that is sent with an answer.',
    fallback: '',
    secret: true,
  },
  adminKey: {
    name: 'SCRIPTWARD_ADMIN_KEY',
    summary: 'API key of the first admin on an empty store; empty means one is made and printed once.',
    fallback: '',
    secret: true,
  },
  trustProxy: {
    name: 'SCRIPTWARD_TRUST_PROXY',
    summary: 'Comma separated addresses or networks of reverse proxies whose X-Forwarded-For is believed.',
    fallback: '',
  },
  logLevel: {
    name: 'SCRIPTWARD_LOG_LEVEL',
    summary: 'fatal, error, warn, info, debug, trace or silent.',
    fallback: 'info',
  },
  bodyLimit: {
    name: 'SCRIPTWARD_BODY_LIMIT',
    summary: 'Largest request body in bytes.',
    fallback: '1048576',
  },
  scriptLimit: {
    name: 'SCRIPTWARD_SCRIPT_LIMIT',
    summary: 'Largest script source in bytes.',
    fallback: '8388608',
  },
  importBodyLimit: {
    name: 'SCRIPTWARD_IMPORT_BODY_LIMIT',
    summary: 'Largest request body of an import of users in bytes.',
    fallback: '33554432',
  },
  importLimit: {
    name: 'SCRIPTWARD_IMPORT_LIMIT',
    summary: 'Most users that one call may import.',
    fallback: '100000',
  },
  generateLimit: {
    name: 'SCRIPTWARD_GENERATE_LIMIT',
    summary: 'Most user keys that one call may generate.',
    fallback: '10000',
  },
  graceMs: {
    name: 'SCRIPTWARD_ACCOUNT_GRACE_MS',
    summary: 'Milliseconds for which clients of an expired account still run.',
    fallback: '259200000',
  },
  obfuscationThreads: {
    name: 'SCRIPTWARD_OBFUSCATION_THREADS',
    summary: 'Worker threads that obfuscate; 0 means one less than the processors, at least one.',
    fallback: '0',
  },
  obfuscationDeadlineMs: {
    name: 'SCRIPTWARD_OBFUSCATION_DEADLINE_MS',
    summary: 'Milliseconds after which an obfuscation is given up.',
    fallback: '60000',
  },
  obfuscationMemoryMb: {
    name: 'SCRIPTWARD_OBFUSCATION_MEMORY_MB',
    summary: 'MiB of heap that one obfuscation thread may use.',
    fallback: '1024',
  },
  obfuscationQueue: {
    name: 'SCRIPTWARD_OBFUSCATION_QUEUE',
    summary: 'Uploads that may wait for an obfuscation thread; further ones are told to come back later.',
    fallback: '32',
  },
  sessionWaitMs: {
    name: 'SCRIPTWARD_SESSION_WAIT_MS',
    summary: 'Milliseconds for which a message to a session waits for its answer, at most 60000.',
    fallback: '60000',
  },
  clientRates: {
    name: 'SCRIPTWARD_CLIENT_RATES',
    summary:
      'Factor on the rate limits of the client protocol, tracing and tests of scripts, such as 2; 0 switches them off.',
    fallback: '1',
  },
  jobs: {
    name: 'SCRIPTWARD_JOBS',
    summary: 'false keeps jobs, such as deleting expired users, from running in this process.',
    fallback: 'true',
  },
  smtpUrl: {
    name: 'SCRIPTWARD_SMTP_URL',
    summary:
      'smtp:// or smtps:// address with user and password, for mails with new API keys; empty sends none.',
    fallback: '',
    secret: true,
  },
  mailFrom: {
    name: 'SCRIPTWARD_MAIL_FROM',
    summary: 'Address that mails come from, such as Scriptward <keys@example.com>.',
    fallback: '',
  },
  apiRates: {
    name: 'SCRIPTWARD_API_RATES',
    summary: 'Factor on the rate limits of the management API, such as 2; 0 switches them off.',
    fallback: '1',
  },
  metricsToken: {
    name: 'SCRIPTWARD_METRICS_TOKEN',
    summary: 'Bearer token for /metrics; empty means that only this machine itself may read them.',
    fallback: '',
    secret: true,
  },
  webhookAllowCidr: {
    name: 'SCRIPTWARD_WEBHOOK_ALLOW_CIDR',
    summary:
      'Comma separated networks, such as 10.1.0.0/16, that webhooks may reach although they are private.',
    fallback: '',
  },
  webhookAllowHttp: {
    name: 'SCRIPTWARD_WEBHOOK_ALLOW_HTTP',
    summary: 'true lets webhooks go to http addresses too, where everybody on the way can read them.',
    fallback: 'false',
  },
  webhookChatHosts: {
    name: 'SCRIPTWARD_WEBHOOK_CHAT_HOSTS',
    summary: 'Comma separated hosts whose webhook addresses get messages in the form of the chat platform.',
    fallback: 'discord.com,discordapp.com,ptb.discord.com,canary.discord.com',
  },
  webhookSecret: {
    name: 'SCRIPTWARD_WEBHOOK_SECRET',
    summary:
      'Secret from which each address gets a whsec_ key for a second, symmetric signature; empty means none.',
    fallback: '',
    secret: true,
  },
} as const satisfies Record<string, Variable>

/** The three settings of one ad provider. */
export const adProvider = (letter: 'A' | 'B' | 'C') => ({
  url: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_URL`,
    summary: `Address of the interface of ad provider ${letter}; empty switches the provider off.`,
    fallback: '',
  },
  label: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_LABEL`,
    summary: `Name under which ad provider ${letter} is shown.`,
    fallback: `Provider ${letter}`,
  },
  hosts: {
    name: `SCRIPTWARD_ADS_PROVIDER_${letter}_HOSTS`,
    summary: `Comma separated hosts of links of ad provider ${letter}; *.example.com means all below; empty means the host of its address.`,
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
