/**
 * Removes environment variables that come from the developer's shell: server and CLI settings, databases,
 * colors and interpreter paths. Excludes loopback addresses from proxying. Processes that tests start inherit
 * this environment.
 */

/** Variables that configure a test run. */
const OF_TESTS = /^SCRIPTWARD_(CRASH|FUZZ|NIGHTLY|NO_SETUP|PICTURES|RECORD|SEED)/
const OF_THE_SHELL = /^(SCRIPTWARD_|PG[A-Z]+$|LUA_|NO_COLOR$|FORCE_COLOR$|BROWSER$)/
const HERE = ['127.0.0.0/8', '127.0.0.1', '127.0.0.9', 'localhost', '::1']

/**
 * Vitest sets this variable when it measures coverage, and every process started by a test would inherit it.
 */
delete process.env.NODE_DISABLE_COMPILE_CACHE

for (const name of Object.keys(process.env))
  if (OF_THE_SHELL.test(name) && !OF_TESTS.test(name)) delete process.env[name]
for (const name of ['no_proxy', 'NO_PROXY'])
  process.env[name] = [...new Set([...(process.env[name]?.split(',') ?? []), ...HERE])].join(',')
