/**
 * Import rules for packages, for folders of the server, and for libraries that only one folder may use.
 * `npm run check` enforces them and `npm run architecture` draws them. Biome checks for import cycles.
 */

/** Maps each package to the packages that it may import. */
const PACKAGES = {
  obfuscator: [],
  client: [],
  sdk: [],
  server: ['obfuscator', 'client', 'scriptward'],
  // The launcher for the CLI and the server, which is plain JavaScript, and what both need to know about it.
  scriptward: [],
  cli: ['client', 'obfuscator', 'sdk', 'scriptward'],
  dashboard: ['client', 'obfuscator', 'sdk'],
}

/**
 * Maps each folder or file of packages/server/src to those that it may import values from. Files directly
 * in src may import any.
 */
const LAYERS = {
  cli: [
    'http',
    'endpoints.ts',
    'reference',
    'api',
    'features',
    'platform',
    'database',
    'config',
    'open-deps.ts',
    'runtime-checks.ts',
    'startup-checks.ts',
  ],
  http: ['api', 'features', 'offload', 'pages', 'platform', 'database', 'config'],
  jobs: ['api', 'features', 'platform', 'database'],
  reference: ['api', 'features'],
  offload: ['api', 'features', 'platform'],
  protocol: ['features', 'platform', 'database'],
  pages: [],
  api: ['platform'],
  platform: [],
  database: [],
  config: ['platform'],
}

/** What each kind of file in a feature may import, in addition to features. */
const STORE = '/store(/|\\.ts$)'
const ENDPOINTS =
  '/((public-)?endpoints|pages)(/|\\.ts$)|^packages/server/src/features/public-pages/|/audit/audited-call\\.ts$'

/**
 * Runs use these files to report errors and to find their version. The files import nothing above the
 * sessions.
 */
const INTAKE = '/(errors/intake|releases/customer-version)\\.ts$'

/**
 * Features from the highest to the lowest; those on the same line may import each other. The logic of a
 * feature may import the logic of lower features. Statements in `store` may import only other statements,
 * and endpoints may import any feature.
 */
const FEATURES = [
  ['chat'],
  ['hub'],
  ['executions'],
  ['customer-page'],
  ['ads'],
  ['errors'],
  ['traces'],
  ['scripts'],
  ['releases'],
  ['keys', 'changes', 'devices', 'bans', 'imports'],
  ['plans'],
  ['variables'],
  ['views'],
  ['projects', 'discord'],
  ['people'],
  ['access'],
  ['accounts'],
  ['sessions'],
  ['executors'],
  ['health'],
  ['functions'],
  ['messages'],
  ['webhooks'],
  ['backups'],
  ['system'],
  ['audit'],
  ['abuse'],
  ['key-validity'],
  ['builds'],
]

/** Maps each library to the only part of packages/server/src that may import it. */
const OWNERS = [
  ['(fastify|@fastify)', 'http/'],
  ['(kysely|pg)', '(database/|features/[^/]+/store(/|\\.ts$))'],
  ['ws', 'http/websocket\\.ts$'],
  ['request-filtering-agent', 'features/webhooks/send/'],
  ['iovalkey', 'platform/valkey/'],
  ['@opentelemetry', 'platform/tracing/otlp\\.ts$'],
  ['nodemailer', 'platform/mail/'],
  ['@discordjs', 'platform/discord/'],
  ['commander', '(main|cli/(admin|backup|examples|move))\\.ts$'],
]
const BUILTIN_OWNERS = [
  ['sqlite', 'database/'],
  ['child_process', '(features/builds/|database/engine/postgres/|systemd\\.ts$)'],
]

const SERVER = '^packages/server/src/'
const FEATURE = `${SERVER}features/`
const TEST = '\\.test\\.tsx?$'

const anyOf = (names) => `(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})(/|$)`
const rule = (name, from, to) => ({ name, severity: 'error', from: { pathNot: TEST, ...from }, to })

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) =>
  rule(
    `package-${name}`,
    { path: `^packages/${name}/src/` },
    { path: '^packages/', pathNot: `^packages/${anyOf([name, ...allowed])}` },
  ),
)

const layerRules = Object.entries(LAYERS).map(([name, allowed]) => {
  const to = { path: SERVER, pathNot: `${SERVER}${anyOf([name, ...allowed])}` }
  return rule(`layer-${name}`, { path: `${SERVER}${name}/` }, { ...to, dependencyTypesNot: ['type-only'] })
})

const featureRules = FEATURES.flatMap((names, at) => {
  const own = `${FEATURE}${anyOf(names)}`
  const below = `${FEATURE}${anyOf(FEATURES.slice(at).flat())}`
  return [
    rule(
      `feature-${names[0]}`,
      { path: own, pathNot: [TEST, STORE, ENDPOINTS] },
      { path: FEATURE, pathNot: [below, STORE, INTAKE] },
    ),
  ]
})

const logic = { path: FEATURE, pathNot: [TEST, STORE, ENDPOINTS] }
const kindRules = [
  rule(
    'store-imports-statements-alone',
    { path: `${FEATURE}.*${STORE}` },
    { path: SERVER, pathNot: [`${SERVER}database/`, STORE], dependencyTypesNot: ['type-only'] },
  ),
  rule(
    'protocol-imports-statements-alone',
    { path: `${SERVER}protocol/` },
    { path: FEATURE, pathNot: STORE, dependencyTypesNot: ['type-only'] },
  ),
  rule('logic-imports-no-endpoints', logic, { path: `${FEATURE}.*(${ENDPOINTS})` }),
  rule('logic-knows-no-http', logic, {
    // Messages to customers are available in the same languages as the pages.
    pathNot: `${SERVER}pages/(language|words)\\.ts$`,
    path: `${SERVER}${anyOf(['http', 'jobs', 'cli', 'reference', 'pages', 'offload'])}`,
    dependencyTypesNot: ['type-only'],
  }),
  rule(
    'endpoints-know-no-http',
    { path: `${FEATURE}.*(${ENDPOINTS})` },
    {
      path: `${SERVER}${anyOf(['http', 'jobs', 'cli'])}`,
      dependencyTypesNot: ['type-only'],
    },
  ),
]

const ownerRules = [
  ...OWNERS.map(([library, owner]) => [`node_modules/(@types/)?${library}/`, owner]),
  ...BUILTIN_OWNERS.map(([library, owner]) => [`^(node:)?${library}$`, owner]),
].map(([path, owner]) =>
  rule(`only-in-${owner}`, { path: SERVER, pathNot: [TEST, `${SERVER}${owner}`] }, { path }),
)

export default {
  forbidden: [
    rule(
      'obfuscator-imports-nothing',
      { path: '^packages/obfuscator/src/' },
      { pathNot: '^packages/obfuscator/src/' },
    ),
    ...packageRules,
    ...layerRules,
    ...featureRules,
    ...kindRules,
    rule(
      'feature-without-a-place-in-the-order',
      {
        path: `${FEATURE}([^/]+)/`,
        pathNot: [TEST, `${FEATURE}${anyOf([...FEATURES.flat(), 'public-pages'])}`],
      },
      { path: SERVER },
    ),
    ...ownerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/sdk/src/generated/' },
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts'],
    },
  },
}
