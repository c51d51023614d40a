/**
 * Takes away what the shell of whoever runs the tests says: settings of a service or of the command line, databases,
 * colours, interpreters' paths and proxies. What tests start is given the rest of the environment.
 */

/** By these a run is told what to test. */
const OF_TESTS = /^SCRIPTWARD_(CRASH|FUZZ|NIGHTLY|NO_SETUP|PICTURES|RECORD|SEED)/
const OF_THE_SHELL = /^(SCRIPTWARD_|PG[A-Z]+$|LUA_|NO_COLOR$|FORCE_COLOR$|BROWSER$)/
const HERE = ['127.0.0.0/8', '127.0.0.1', '127.0.0.9', 'localhost', '::1']

/** Vitest sets it for itself when it measures coverage, and everything that a test starts would inherit it. */
delete process.env.NODE_DISABLE_COMPILE_CACHE

for (const name of Object.keys(process.env))
  if (OF_THE_SHELL.test(name) && !OF_TESTS.test(name)) delete process.env[name]
for (const name of ['no_proxy', 'NO_PROXY'])
  process.env[name] = [...new Set([...(process.env[name]?.split(',') ?? []), ...HERE])].join(',')
